/**
 * The Prometheus text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/. Code creates each series once, with
 * valid names and label names. Label values may be anything and are escaped.
 */
type Labels<Name extends string> = Readonly<Record<Name, string>>

interface Counter<Name extends string> {
  add(labels: Labels<Name>, amount?: number): void
}

interface Gauge<Name extends string> {
  set(labels: Labels<Name>, value: number): void
  /** Removes all values, for label values that come and go. */
  clear(): void
}

interface Histogram<Name extends string> {
  observe(labels: Labels<Name>, value: number): void
}

export interface Exposition {
  counter<Name extends string = never>(name: string, help: string, labelNames?: readonly Name[]): Counter<Name>
  gauge<Name extends string = never>(name: string, help: string, labelNames?: readonly Name[]): Gauge<Name>
  histogram<Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    upperBounds: readonly number[],
  ): Histogram<Name>
  render(): string
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

export function exposition(): Exposition {
  const families: (() => string)[] = []

  function family(name: string, help: string, type: 'counter' | 'gauge' | 'histogram', lines: () => string[]): void {
    const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    families.push(() => head + lines().join(''))
  }

  /** One value per combination of labels. Without labels it starts at 0, so that it differs from a missing series. */
  function values<Name extends string>(
    name: string,
    help: string,
    type: 'counter' | 'gauge',
    labelNames: readonly Name[],
  ) {
    const byLabels = new Map<string, number>(labelNames.length === 0 ? [['', 0]] : [])
    family(name, help, type, () => [...byLabels].map(([labels, value]) => line(name, labels, value)))
    return { byLabels, keyOf: (labels: Labels<Name>) => labelText(labelNames, labels) }
  }

  return {
    counter(name, help, labelNames = []) {
      const { byLabels, keyOf } = values(name, help, 'counter', labelNames)
      return {
        add(labels, amount = 1) {
          const key = keyOf(labels)
          byLabels.set(key, (byLabels.get(key) ?? 0) + amount)
        },
      }
    },
    gauge(name, help, labelNames = []) {
      const { byLabels, keyOf } = values(name, help, 'gauge', labelNames)
      return {
        set: (labels, value) => void byLabels.set(keyOf(labels), value),
        clear: () => byLabels.clear(),
      }
    },
    histogram(name, help, labelNames, upperBounds) {
      const byLabels = new Map<string, Observed>()
      family(name, help, 'histogram', () =>
        [...byLabels].flatMap(([labels, observed]) => histogramLines(name, labels, upperBounds, observed)),
      )
      return {
        observe(labels, value) {
          const key = labelText(labelNames, labels)
          const observed = byLabels.get(key) ?? { counts: new Array(upperBounds.length).fill(0), count: 0, sum: 0 }
          byLabels.set(key, observed)
          const bucket = upperBounds.findIndex((bound) => value <= bound)
          if (bucket >= 0) observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1
          observed.count += 1
          observed.sum += value
        },
      }
    },
    render: () => families.map((text) => text()).join('\n'),
  }
}

interface Observed {
  /** Per bucket, not cumulative. */
  readonly counts: number[]
  count: number
  sum: number
}

function histogramLines(
  name: string,
  labels: string,
  upperBounds: readonly number[],
  { counts, count, sum }: Observed,
): string[] {
  let upTo = 0
  const bucket = (bound: number | '+Inf', value: number) =>
    line(`${name}_bucket`, `le="${bound}"${labels === '' ? '' : `,${labels}`}`, value)
  const buckets = upperBounds.map((bound, index) => {
    upTo += counts[index] ?? 0
    return bucket(bound, upTo)
  })
  return [...buckets, bucket('+Inf', count), line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)]
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`
}

function labelText<Name extends string>(labelNames: readonly Name[], labels: Labels<Name>): string {
  return labelNames.map((name) => `${name}="${escapeLabel(labels[name])}"`).join(',')
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}
