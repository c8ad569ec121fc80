/**
 * Draws the graph with sigma on WebGL. The layout is ForceAtlas2 (Jacomy 2014), computed a few steps at a time so that the page
 * stays responsive. Loaded on demand, because it is the heaviest part of the dashboard.
 */
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { useEffect, useRef } from 'preact/hooks'
import Sigma from 'sigma'
import { counted } from '../counted.ts'
import { colourOf, prefersLessMotion, seenTheme } from '../theme.ts'
import { moveApart } from './apart.ts'
import { kindOf, relationText } from './kinds.ts'
import { drawLabels } from './labels.ts'
import { type Network, neighbourhood } from './network.ts'
import { shapePrograms } from './shapes.ts'

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
    // Smaller nodes on a phone leave room for their names.
    const scale = Math.min(1, Math.max(0.55, place.current.clientWidth / 800))
    const graph = graphOf(props.network, scale)
    const sigma = draw(graph, place.current, latest)
    drawn.current = sigma
    const stop = layOut(graph, place.current)
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
      aria-label={`A picture of ${counted(entities.length, 'entity', 'entities')} and ${counted(relationships.length, 'relationship')}; the tables show the same data`}
    />
  )
}

/** Starts on a spiral in a fixed order, so that the same graph always gives the same picture. */
function graphOf({ entities, relationships }: Network, scale: number): Graph {
  const graph = new Graph({ type: 'directed', multi: true, allowSelfLoops: false })
  entities.forEach(({ id, name, type, memoryCount }, index) => {
    const { shape, colour } = kindOf(type)
    const [angle, distance] = [index * 2.399963, Math.sqrt(index + 1)]
    graph.addNode(id, {
      x: distance * Math.cos(angle),
      y: distance * Math.sin(angle),
      size: scale * Math.min(18, 5 + 2 * Math.sqrt(memoryCount)),
      type: shape,
      label: name.length > 28 ? `${name.slice(0, 27)}…` : name,
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
  const [ink, halo, line, pale] = ['--ink', '--card', '--line-strong', '--line'].map(colourOf) as Colours
  const look = { ink, halo, font: getComputedStyle(container).fontFamily }
  const isClear = (id: string) => {
    const { network, selected, found } = latest.current
    return selected === undefined ? found.has(id) : neighbourhood(network, selected).has(id)
  }
  let pointed: string | undefined
  const sigma = new Sigma(graph, container, {
    allowInvalidContainer: true,
    // Both are drawn by `drawLabels`, which knows what they would cover.
    renderLabels: false,
    renderEdgeLabels: false,
    enableEdgeEvents: true,
    defaultEdgeColor: line,
    nodeProgramClasses: shapePrograms,
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
  sigma.on('afterRender', () => {
    const { selected } = latest.current
    drawLabels(sigma, graph, look, { first: pointed ?? selected, relationsOf: selected ?? pointed })
  })
  sigma.on('clickNode', ({ node }) => latest.current.select(node))
  sigma.on('clickEdge', ({ edge }) => latest.current.selectRelationship(edge))
  const point = (cursor: string, node?: string) => {
    container.style.cursor = cursor
    pointed = node
    sigma.scheduleRender()
  }
  sigma.on('enterNode', ({ node }) => point('pointer', node))
  sigma.on('leaveNode', () => point(''))
  sigma.on('enterEdge', () => point('pointer'))
  sigma.on('leaveEdge', () => point(''))
  sigma.on('clickStage', () => latest.current.select(undefined))
  return sigma
}

/** One per property. */
type Colours = [string, string, string, string]

const steps = 300
const stepsAtATime = 5
/** Less than a frame, so that typing and scrolling stay smooth. */
const sliceMs = 8

/** Moves the nodes until the layout is stable. Returns a function that stops it. */
function layOut(graph: Graph, container: HTMLElement): () => void {
  if (graph.order < 2) return () => undefined
  // More gravity than usual, so that small groups stay near the others.
  const settings = { ...forceAtlas2.inferSettings(graph), gravity: 1.5, barnesHutOptimize: graph.order > 200 }
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
    else spread(graph, container)
  }
  next = requestAnimationFrame(slice)
  return () => cancelAnimationFrame(next)
}

/** As `graphOf` writes them. */
interface Placed {
  readonly x: number
  readonly y: number
  readonly size: number
}

/** Pixels between two nodes. */
const gap = 8

function spread(graph: Graph, { clientWidth, clientHeight }: HTMLElement): void {
  const ids = graph.nodes()
  const at = ids.map((id) => graph.getNodeAttributes(id) as Placed)
  const extent = (values: readonly number[]) => Math.max(1e-6, Math.max(...values) - Math.min(...values))
  // The picture is scaled to fit, with some room at its edges.
  const perPixel =
    Math.max(extent(at.map(({ x }) => x)) / clientWidth, extent(at.map(({ y }) => y)) / clientHeight) * 1.15
  const discs = at.map(({ x, y, size }) => ({ x, y, radius: (size + gap / 2) * perPixel }))
  moveApart(discs)
  const places = new Map(ids.map((id, index) => [id, discs[index]]))
  graph.updateEachNodeAttributes((id, attributes) => ({
    ...attributes,
    x: places.get(id)?.x ?? attributes.x,
    y: places.get(id)?.y ?? attributes.y,
  }))
}
