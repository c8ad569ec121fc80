/** A chart drawn with uPlot on a canvas. The same numbers are in a table beside it for those who can't see it. */
import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf, seenTheme } from '../theme.ts'

interface Line {
  readonly name: string
  readonly values: readonly number[]
  readonly colour: '--series-1' | '--series-2'
  readonly dashed?: boolean
}

interface ChartProps {
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly x: readonly number[]
  readonly xText: (value: number) => string
  readonly yText: (value: number) => string
  readonly lines: readonly Line[]
  /** Upper end of the scale; undefined to fit the values. */
  readonly most?: number
}

const height = 240

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const theme = seenTheme.value
  useEffect(() => {
    const frame = place.current
    if (frame === null) return
    const chart = new UPlot(optionsOf(props, frame.clientWidth), dataOf(props), frame)
    const watcher = new ResizeObserver(() => {
      if (frame.clientWidth > 0) chart.setSize({ width: frame.clientWidth, height })
    })
    watcher.observe(frame)
    return () => {
      watcher.disconnect()
      chart.destroy()
    }
  }, [props.x, props.lines, props.kind, theme])
  return <div ref={place} class="chart" role="img" aria-label={props.label} />
}

function dataOf({ kind, x, lines }: ChartProps): UPlot.AlignedData {
  // A bar of height 0 would still be drawn as a line.
  const drawn = (value: number) => (kind === 'bars' && value === 0 ? null : value)
  return [[...x], ...lines.map(({ values }) => values.map(drawn))]
}

function optionsOf({ kind, lines, x, xText, yText, most }: ChartProps, width: number): UPlot.Options {
  const [ink, line] = [colourOf('--quiet'), colourOf('--line')]
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  const [first = 0, last = 1] = [x[0], x.at(-1)]
  const half = kind === 'bars' && x[1] !== undefined ? (x[1] - first) / 2 : 0
  return {
    width: Math.max(1, width),
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [first - half, last + half] },
      y: { range: (_chart, _least, largest) => [0, most ?? Math.max(1, largest * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_chart, splits) => splits.map(xText) },
      { ...axis, size: 56, values: (_chart, splits) => splits.map(yText) },
    ],
    series: [{}, ...lines.map((item, index) => seriesOf(item, kind, index, lines.length))],
  }
}

function seriesOf({ name, colour, dashed }: Line, kind: ChartProps['kind'], index: number, of: number): UPlot.Series {
  const stroke = colourOf(colour)
  const common = { label: name, stroke, width: 2, points: { show: false }, ...(dashed ? { dash: [6, 4] } : {}) }
  if (kind === 'lines') return common
  // Side by side, so that neither hides the other.
  const paths = UPlot.paths.bars?.({ size: [0.8 / of, 60], align: of === 1 ? 0 : index === 0 ? -1 : 1 })
  return { ...common, fill: dashed ? 'transparent' : stroke, ...(paths ? { paths } : {}) }
}
