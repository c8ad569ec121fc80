/**
 * The tagging model's findings in one sentence, and their encoding for the way out of its thread: a fixed number of
 * values, as for every model's answer.
 */
import type { EntityType } from '../../core/entity.js'
import { taggedTypes } from './tag-decode.js'
import { type RelationName, relationNames } from './tag-relation-head.js'

export interface SpanSeen {
  /** Half-open, in the text. */
  readonly start: number
  readonly end: number
  readonly type: EntityType
  /** 0 to 1. */
  readonly score: number
}

export interface RelationSeen {
  /** Indices in `spans`. */
  readonly head: number
  readonly tail: number
  readonly name: RelationName
  readonly score: number
}

export interface Reading {
  readonly spans: readonly SpanSeen[]
  readonly relations: readonly RelationSeen[]
}

const maxSpans = 64
const maxRelations = 48
const itemWidth = 4
const relationsStart = 2 + maxSpans * itemWidth
export const readingWidth = relationsStart + maxRelations * itemWidth

/** Writes a reading to `values` from `offset` on. If there are too many relations, the most certain ones are kept. */
export function writeReading(reading: Reading, values: Float32Array, offset: number): void {
  const spans = reading.spans.slice(0, maxSpans)
  const relations = reading.relations
    .filter(({ head, tail }) => head < maxSpans && tail < maxSpans)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxRelations)
  values[offset] = spans.length
  values[offset + 1] = relations.length
  for (const [at, { start, end, type, score }] of spans.entries())
    values.set([start, end, taggedTypes.indexOf(type), score], offset + 2 + at * itemWidth)
  for (const [at, { head, tail, name, score }] of relations.entries())
    values.set([head, tail, relationNames.indexOf(name), score], offset + relationsStart + at * itemWidth)
}

export function readReading(values: Float32Array, offset: number): Reading {
  const items = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => values.subarray(from + at * itemWidth, from + (at + 1) * itemWidth))
  return {
    spans: items(offset + 2, values[offset] ?? 0).flatMap(([start = 0, end = 0, number = -1, score = 0]) => {
      const type = taggedTypes[number]
      return type ? [{ start, end, type, score }] : []
    }),
    relations: items(offset + relationsStart, values[offset + 1] ?? 0).flatMap(
      ([head = 0, tail = 0, number = -1, score = 0]) => {
        const name = relationNames[number]
        return name ? [{ head, tail, name, score }] : []
      },
    ),
  }
}
