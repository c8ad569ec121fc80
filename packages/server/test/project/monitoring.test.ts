/** The dashboard and the alert rules in `deploy/` use metrics that exist, and `/metrics` follows the rules of `promtool check metrics`. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { prometheusMetrics } from '../../src/http/metrics/metrics.js'

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: ReadonlySet<string>
}

const read = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8')
let families: readonly Family[] = []

beforeAll(async () => {
  const metrics = prometheusMetrics({
    modelQueue: () => 0,
    outdatedVectors: () => 0,
    eventStreams: () => 0,
    index: () => ({ users: 0, versions: 0, bytes: 0, pending: 0 }),
    storage: async () => ({ users: 0, memories: 0, bytes: 0 }),
  })
  // A series with labels appears with its first value.
  metrics.request('GET', '/api/v1/recall', 200, 0.1)
  metrics.authFailure()
  metrics.rateLimited('store')
  metrics.stage('embed', 3)
  metrics.trustRejection(['instruction_override'])
  metrics.secrets('api_key', 'redacted', 1)
  metrics.checksumMismatch()
  metrics.degraded('semantic')
  metrics.streamClosed('gone')
  metrics.eventsSent('stream', 1)
  metrics.delivery('dead')
  metrics.spans('exported', 1)
  const { body } = await metrics.render()
  families = [...body.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)\n((?:[^#\n].*\n)*)/gm)].map(
    ([, name = '', help = '', type = '', lines = '']) => ({
      name,
      type,
      help,
      labels: new Set([...lines.matchAll(/(\w+)="/g)].map(([, label = '']) => label)),
    }),
  )
  expect(families.length).toBe(body.match(/^# TYPE /gm)?.length)
  // Read from /proc.
  if (process.platform !== 'linux') {
    for (const name of ['process_open_fds', 'process_max_fds'])
      families = [...families, { name, type: 'gauge', help: 'x', labels: new Set() }]
  }
})

/** The rules of promlint, which promtool runs: https://github.com/prometheus/client_golang. */
describe('metrics', () => {
  it('follow the naming rules of Prometheus', () => {
    for (const { name, type, help, labels } of families) {
      expect(help, name).not.toBe('')
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      expect(name.endsWith('_total'), `${name} is a ${type}`).toBe(type === 'counter')
      expect(name).not.toMatch(/_(?:count|sum|bucket)$/)
      expect(name).not.toMatch(/(?:^|_)(?:gauge|counter|histogram|summary)(?:_|$)/)
      // Base units only: seconds and bytes.
      expect(name).not.toMatch(
        /_(?:milli|micro|nano|kilo|mega|giga|kibi|mebi)\w+|_(?:ms|kb|mb|gb|minutes|hours|days)(?:_|$)/,
      )
      if (type !== 'histogram') expect([...labels], name).not.toContain('le')
    }
  })
})

interface Panel {
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly id: number
  readonly targets?: readonly { readonly expr: string }[]
}

/** Names and the labels that select or group them, in an expression. */
function usedIn(expression: string) {
  const names = [...expression.matchAll(/\b(?:keepsake|nodejs|process)_\w+/g)].map(([name]) => name)
  const selected = [...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label)
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
  return { names, labels: [...selected, ...grouped] }
}

/** Prometheus itself adds these. */
const added = new Set(['instance', 'job'])

function expectKnown(expression: string): void {
  const { names, labels } = usedIn(expression)
  const known = names.map((name) => {
    const found = families.find(
      (each) =>
        each.name === name || (each.type === 'histogram' && name.replace(/_(?:bucket|sum|count)$/, '') === each.name),
    )
    expect(found, `${name} in ${expression}`).toBeDefined()
    return found
  })
  for (const label of labels.filter((each) => !added.has(each)))
    expect(
      known.some((family) => family?.labels.has(label)),
      `${label} in ${expression}`,
    ).toBe(true)
}

describe('deploy/grafana-dashboard.json', () => {
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(read('grafana-dashboard.json'))
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it('uses metrics and labels that exist', () => {
    expect(expressions.length).toBeGreaterThan(30)
    for (const expression of expressions) expectKnown(expression)
  })

  it('shows every metric of the service', () => {
    const text = expressions.join('\n')
    for (const { name } of families.filter((each) => each.name.startsWith('keepsake_'))) expect(text).toContain(name)
  })

  it('has panels with ids of their own that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}:${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

describe('deploy/prometheus-alerts.yaml', () => {
  const { groups }: { readonly groups: readonly { readonly rules: readonly Readonly<Record<string, unknown>>[] }[] } =
    parse(read('prometheus-alerts.yaml'))
  const rules = groups.flatMap((group) => group.rules)

  it('uses metrics and labels that exist', () => {
    expect(rules.length).toBeGreaterThan(10)
    for (const { expr } of rules) expectKnown(String(expr))
  })

  it('has a name, a severity and a summary for each rule', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Keepsake[A-Z]\w+$/)
      expect(labels).toMatchObject({ severity: expect.stringMatching(/^(?:critical|warning|info)$/) })
      expect(annotations).toMatchObject({ summary: expect.any(String) })
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })
})
