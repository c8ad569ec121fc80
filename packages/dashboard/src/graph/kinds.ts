import type { Entity } from '@keepsake/client'
import type { Shape } from './shapes.ts'

export type EntityType = Entity['type']

interface Kind {
  readonly type: EntityType
  readonly name: string
  /** Shown before the name, because not everyone can distinguish the colours. The picture draws the same shape. */
  readonly sign: string
  readonly shape: Shape
  readonly colour: `--series-${1 | 2 | 3 | 4 | 5 | 6}`
}

export const kinds: readonly Kind[] = [
  { type: 'PERSON', name: 'Person', sign: '●', shape: 'circle', colour: '--series-1' },
  { type: 'ORG', name: 'Organisation', sign: '■', shape: 'square', colour: '--series-2' },
  { type: 'LOCATION', name: 'Place', sign: '▲', shape: 'triangle', colour: '--series-3' },
  { type: 'PRODUCT', name: 'Product', sign: '◆', shape: 'diamond', colour: '--series-4' },
  { type: 'EVENT', name: 'Event', sign: '★', shape: 'star', colour: '--series-5' },
  { type: 'CONCEPT', name: 'Concept', sign: '✚', shape: 'cross', colour: '--series-6' },
]

export function kindOf(type: EntityType): Kind {
  return (
    kinds.find((kind) => kind.type === type) ?? { type, name: type, sign: '●', shape: 'circle', colour: '--series-1' }
  )
}

/** `WORKS_AT` as words. */
export function relationText(type: string): string {
  return type.toLowerCase().replaceAll('_', ' ')
}
