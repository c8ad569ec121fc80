/** Recall against k as a small chart: plain SVG that is readable on light and dark pages. */

export interface Curve {
  readonly name: string
  /** Shares for k = 1, 2, …; 0 to 1. */
  readonly shares: readonly number[]
  /** Thin and dashed: a variant of another line. */
  readonly minor: boolean
}

const width = 560
const height = 340
const plot = { left: 46, right: 386, top: 40, bottom: 296 }
/** Distinguishable for colour-blind readers, and readable on white and on black. */
const colours = [
  '#8a8f98',
  '#c2681b',
  '#2f7fd1',
  '#1a9a6c',
  '#b0479b',
  '#a38600',
  '#d1495b',
  '#6a5acd',
  '#3f8f9f',
  '#7a7a3a',
]
const dashes = ['6 3', '2 3', '8 3 2 3', '4 2']
const labelHeight = 16

export function recallPlot(title: string, curves: readonly Curve[]): string {
  const lowest = Math.min(1, ...curves.flatMap(({ shares }) => shares))
  const step = lowest < 0.5 ? 0.2 : 0.1
  const floor = Math.min(1 - step, Math.max(0, Math.floor(lowest / step) * step))
  const depth = Math.max(1, ...curves.map(({ shares }) => shares.length))
  const x = (k: number) => plot.left + ((k - 1) / Math.max(1, depth - 1)) * (plot.right - plot.left)
  const y = (share: number) => plot.bottom - ((share - floor) / (1 - floor)) * (plot.bottom - plot.top)
  const places = labelPlaces(curves.map(({ shares }) => y(shares.at(-1) ?? 0)))
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}: recall against k">`,
    style,
    `<text class="title" x="${plot.left}" y="22">${escaped(title)}</text>`,
    ...gridLines(floor, step, y),
    ...ticks(depth).map(
      (k) => `<text class="tick" x="${round(x(k))}" y="${plot.bottom + 17}" text-anchor="middle">${k}</text>`,
    ),
    `<text class="tick" x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 36}" text-anchor="middle">k: some evidence among the first k, per cent of questions</text>`,
    ...curves.flatMap((curve, index) => line(curve, index, x, y, places[index] ?? 0)),
    '</svg>',
  ].join('\n')}\n`
}

/** Medium greys, because a picture does not know whether its page is dark. */
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #7a828c }
.title { font-size: 14px; font-weight: 600 }
.tick { font-size: 11px }
.grid { stroke: #8888; stroke-width: 0.5 }
.line { fill: none; stroke-width: 2.2; stroke-linejoin: round }
.minor { stroke-width: 1.2 }
.lead { stroke-width: 0.8 }
</style>`

function gridLines(floor: number, step: number, y: (share: number) => number): string[] {
  const lines: string[] = []
  for (let share = floor; share < 1 + 1e-9; share += step) {
    const at = round(y(share))
    lines.push(`<line class="grid" x1="${plot.left}" y1="${at}" x2="${plot.right}" y2="${at}"/>`)
    lines.push(
      `<text class="tick" x="${plot.left - 8}" y="${at + 4}" text-anchor="end">${Math.round(share * 100)}</text>`,
    )
  }
  return lines
}

function ticks(depth: number): number[] {
  return [1, 5, 10, 15, 20].filter((k) => k <= depth)
}

function line(
  { name, shares, minor }: Curve,
  index: number,
  x: (k: number) => number,
  y: (share: number) => number,
  place: number,
): string[] {
  const colour = colours[index % colours.length] ?? ''
  const dash = minor ? ` stroke-dasharray="${dashes[index % dashes.length]}"` : ''
  const kind = minor ? 'line minor' : 'line'
  const points = shares.map((share, position) => `${round(x(position + 1))},${round(y(share))}`).join(' ')
  const end = round(y(shares.at(-1) ?? 0))
  const label = escaped(name)
  return [
    `<polyline class="${kind}" stroke="${colour}"${dash} points="${points}"><title>${label}</title></polyline>`,
    `<polyline class="line lead" stroke="${colour}" points="${plot.right + 2},${end} ${plot.right + 12},${round(place)}"/>`,
    `<text x="${plot.right + 16}" y="${round(place + 4)}" style="fill:${colour}">${label}</text>`,
  ]
}

/** Labels next to the ends of their lines, moved apart where they would overlap. */
function labelPlaces(ends: readonly number[]): number[] {
  const order = ends.map((end, index) => ({ end, index })).sort((a, b) => a.end - b.end)
  const places = new Array<number>(ends.length).fill(0)
  let above = Number.NEGATIVE_INFINITY
  for (const { end, index } of order) {
    above = Math.max(end, above + labelHeight)
    places[index] = above
  }
  // Move them up by the amount they extend below the plot.
  let below = Math.max(plot.bottom, plot.top + ends.length * labelHeight)
  for (const { index } of order.reverse()) {
    places[index] = Math.min(places[index] ?? 0, below)
    below = (places[index] ?? 0) - labelHeight
  }
  return places
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
