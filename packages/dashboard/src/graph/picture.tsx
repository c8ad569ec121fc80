/**
 * Draws the graph with sigma on WebGL. The layout is ForceAtlas2 (Jacomy 2014), computed a few steps at a time so that the page
 * stays responsive. Loaded on demand, because it is the heaviest part of the dashboard.
 */
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { useEffect, useRef } from 'preact/hooks'
import Sigma from 'sigma'
import { colourOf, prefersLessMotion, seenTheme } from '../theme.ts'
import { kindOf, relationText } from './kinds.ts'
import { LabelPlaces } from './label-places.ts'
import { type Network, neighbourhood } from './network.ts'

export interface PictureProps {
  readonly network: Network
  /** Search results; everything else is dimmed. */
  readonly found: ReadonlySet<string>
  readonly selected: string | undefined
  readonly select: (entityId: string | undefined) => void
  readonly selectRelationship: (relationshipId: string) => void
}

export default function Picture(props: PictureProps) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const drawn = useRef<Sigma | undefined>(undefined)
  const theme = seenTheme.value
  useEffect(() => {
    if (place.current === null) return
    const graph = graphOf(props.network)
    const sigma = draw(graph, place.current, latest)
    drawn.current = sigma
    const stop = layOut(graph)
    return () => {
      stop()
      sigma.kill()
      drawn.current = undefined
    }
  }, [props.network, theme])
  useEffect(() => {
    drawn.current?.refresh({ skipIndexation: true })
  }, [props.selected, props.found])
  const { entities, relationships } = props.network
  return (
    <div
      ref={place}
      class="graph-picture"
      role="img"
      aria-label={`A picture of ${entities.length} entities and ${relationships.length} relationships; the tables show the same data`}
    />
  )
}

/** Starts on a spiral in a fixed order, so that the same graph always gives the same picture. */
function graphOf({ entities, relationships }: Network): Graph {
  const graph = new Graph({ type: 'directed', multi: true, allowSelfLoops: false })
  entities.forEach(({ id, name, type, memoryCount }, index) => {
    const { sign, colour } = kindOf(type)
    const [angle, distance] = [index * 2.399963, Math.sqrt(index + 1)]
    graph.addNode(id, {
      x: distance * Math.cos(angle),
      y: distance * Math.sin(angle),
      size: Math.min(18, 5 + 2 * Math.sqrt(memoryCount)),
      label: `${sign} ${name.length > 28 ? `${name.slice(0, 27)}…` : name}`,
      color: colourOf(colour),
    })
  })
  for (const { id, sourceId, targetId, type } of relationships) {
    if (sourceId === targetId || !graph.hasNode(sourceId) || !graph.hasNode(targetId)) continue
    graph.addEdgeWithKey(id, sourceId, targetId, { size: 2, label: relationText(type), type: 'arrow' })
  }
  return graph
}

function draw(graph: Graph, container: HTMLElement, latest: { readonly current: PictureProps }): Sigma {
  const [ink, line, pale] = [colourOf('--ink'), colourOf('--line-strong'), colourOf('--line')]
  const isClear = (id: string) => {
    const { network, selected, found } = latest.current
    return selected === undefined ? found.has(id) : neighbourhood(network, selected).has(id)
  }
  const places = new LabelPlaces()
  const sigma = new Sigma(graph, container, {
    allowInvalidContainer: true,
    renderEdgeLabels: graph.size <= 60,
    enableEdgeEvents: true,
    defaultEdgeColor: line,
    labelColor: { color: ink },
    edgeLabelColor: { color: ink },
    labelFont: 'system-ui, sans-serif',
    edgeLabelFont: 'system-ui, sans-serif',
    labelSize: 13,
    // Many small cells: whether two labels overlap is checked when they are drawn.
    labelDensity: 3,
    labelGridCellSize: 60,
    labelRenderedSizeThreshold: 0,
    defaultDrawNodeLabel: (context, data, settings) => {
      if (!data.label) return
      context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
      const [x, height] = [data.x + data.size + 3, settings.labelSize + 2]
      const width = context.measureText(data.label).width + 4
      if (!places.take({ x, y: data.y - height / 2, width, height })) return
      context.fillStyle = ink
      context.fillText(data.label, x, data.y + settings.labelSize / 3)
    },
    edgeLabelSize: 11,
    defaultDrawNodeHover: () => undefined,
    nodeReducer: (id, data) => {
      if (isClear(id)) return { ...data, highlighted: id === latest.current.selected }
      return { ...data, color: pale, label: null, zIndex: -1 }
    },
    edgeReducer: (id, data) => {
      const [source, target] = graph.extremities(id)
      return isClear(source) && isClear(target) ? data : { ...data, color: pale, label: null }
    },
  })
  sigma.on('beforeRender', () => places.clear())
  sigma.on('clickNode', ({ node }) => latest.current.select(node))
  sigma.on('clickEdge', ({ edge }) => latest.current.selectRelationship(edge))
  const point = (cursor: string) => () => {
    container.style.cursor = cursor
  }
  sigma.on('enterNode', point('pointer'))
  sigma.on('leaveNode', point(''))
  sigma.on('enterEdge', point('pointer'))
  sigma.on('leaveEdge', point(''))
  sigma.on('clickStage', () => latest.current.select(undefined))
  return sigma
}

const steps = 300
const stepsAtATime = 5
/** Less than a frame, so that typing and scrolling stay smooth. */
const sliceMs = 8

/** Moves the nodes until the layout is stable. Returns a function that stops it. */
function layOut(graph: Graph): () => void {
  if (graph.order < 2) return () => undefined
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 200 }
  let [done, next] = [0, 0]
  // With reduced motion, more steps run per frame, so that the layout settles sooner.
  const perFrame = prefersLessMotion() ? 4 * sliceMs : sliceMs
  const slice = () => {
    const until = performance.now() + perFrame
    while (done < steps && performance.now() < until) {
      // First group connected nodes, then make them not overlap.
      const adjustSizes = done >= steps / 2
      forceAtlas2.assign(graph, { iterations: stepsAtATime, settings: { ...settings, adjustSizes } })
      done += stepsAtATime
    }
    if (done < steps) next = requestAnimationFrame(slice)
  }
  next = requestAnimationFrame(slice)
  return () => cancelAnimationFrame(next)
}
