/** Draws the names of entities and relationships where they cover nothing: the chosen one first, then the largest. */
import type Graph from 'graphology'
import type Sigma from 'sigma'
import { LabelPlaces, placesAround } from './label-places.ts'

interface Spot {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly size: number
  readonly label: string | null
}

interface LabelLook {
  readonly ink: string
  readonly halo: string
  readonly font: string
}

const nameSize = 12
const relationSize = 10.5
/** More names would be unreadable, and slow to place. */
const mostNames = 250

/** `first` is drawn even if it covers something. `relationsOf` also gets the names of its relationships. */
export function drawLabels(
  sigma: Sigma,
  graph: Graph,
  look: LabelLook,
  chosen: { readonly first: string | undefined; readonly relationsOf: string | undefined },
): void {
  const context = sigma.getCanvases().labels?.getContext('2d')
  if (!context) return
  const spots = spotsOf(sigma, graph)
  const area = sigma.getDimensions()
  const places = new LabelPlaces()
  for (const { x, y, size } of spots) places.occupy({ x: x - size, y: y - size, width: 2 * size, height: 2 * size })
  const write = (text: string, x: number, y: number) => {
    // Lines run below the names.
    context.strokeText(text, x, y)
    context.fillText(text, x, y)
  }
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = look.halo
  context.fillStyle = look.ink
  context.textBaseline = 'middle'
  context.font = `500 ${nameSize}px ${look.font}`
  const named = spots.filter(({ label }) => label !== null)
  const bySize = named.sort((a, b) => Number(b.id === chosen.first) - Number(a.id === chosen.first) || b.size - a.size)
  for (const spot of bySize.slice(0, mostNames)) {
    const text = spot.label ?? ''
    const around = placesAround(spot, context.measureText(text).width + 4, nameSize + 4)
    // A name that is cut off is worse than none.
    const whole = around.filter(({ x, width }) => x >= 0 && x + width <= area.width)
    const place = places.takeFirst(whole) ?? (spot.id === chosen.first ? around[0] : undefined)
    if (place !== undefined) write(text, place.x + 2, place.y + place.height / 2 + 1)
  }
  if (chosen.relationsOf === undefined || !graph.hasNode(chosen.relationsOf)) return
  context.font = `400 ${relationSize}px ${look.font}`
  const at = new Map(spots.map((spot) => [spot.id, spot]))
  graph.forEachEdge(chosen.relationsOf, (_edge, { label }, source, target) => {
    const [from, to] = [at.get(source), at.get(target)]
    if (from === undefined || to === undefined || typeof label !== 'string') return
    const [width, height] = [context.measureText(label).width + 4, relationSize + 4]
    const place = { x: (from.x + to.x - width) / 2, y: (from.y + to.y - height) / 2, width, height }
    if (places.take(place)) write(label, place.x + 2, place.y + height / 2 + 1)
  })
}

/** Nodes in view, in pixels. */
function spotsOf(sigma: Sigma, graph: Graph): Spot[] {
  const { width, height } = sigma.getDimensions()
  return graph.nodes().flatMap((id): Spot[] => {
    const data = sigma.getNodeDisplayData(id)
    if (data === undefined || data.hidden) return []
    const { x, y } = sigma.framedGraphToViewport(data)
    const isSeen = x > -20 && y > -20 && x < width + 20 && y < height + 20
    return isSeen ? [{ id, x, y, size: sigma.scaleSize(data.size), label: data.label }] : []
  })
}
