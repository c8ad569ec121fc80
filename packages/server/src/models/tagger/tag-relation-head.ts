/**
 * Predicts the relation between two spans from the encoder's vectors: a small network over both spans, the words
 * between them, their types and their distance. Plain arithmetic is enough: a sentence has few pairs, and each span's
 * share is computed once for all its pairs.
 */
import { taggedTypes, type WordSpan } from './tag-decode.js'
import type { TagRow } from './tag-words.js'

/**
 * In the order of the model's outputs. The first five are CoNLL04's; they are separate because that set defines them
 * differently.
 */
export const relationNames = [
  'Work_For',
  'Live_In',
  'OrgBased_In',
  'Located_In',
  'Kill',
  'WORKS_AT',
  'STUDIES_AT',
  'LIVES_IN',
  'LOCATED_IN',
  'BORN_IN',
  'FOUNDED',
  'OWNS',
  'CREATED',
  'MEMBER_OF',
  'SPOUSE_OF',
  'PARENT_OF',
  'SIBLING_OF',
  'MANAGES',
] as const
export type RelationName = (typeof relationNames)[number]

export interface PairRelation {
  /** Indices in the list of spans. */
  readonly head: number
  readonly tail: number
  readonly name: RelationName
  readonly score: number
}

/** A matrix [rows, columns], row by row. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

export type ReadMatrix = (name: string) => Matrix

const distanceSteps = [0, 1, 2, 3, 4, 6, 8, 11, 15, 22]
/** Relations below this score are not reported. */
const leastScore = 0.2
/** The number of pairs grows with the square of the number of names. */
const maxSpans = 24

export class RelationHead {
  private readonly width: number
  private readonly tables: Readonly<
    Record<'head' | 'tail' | 'between' | 'headType' | 'tailType' | 'distance' | 'out', Matrix>
  >
  private readonly headBias: Float32Array
  private readonly outBias: Float32Array

  constructor(read: ReadMatrix) {
    this.tables = {
      head: read('relation.head.weight'),
      tail: read('relation.tail.weight'),
      between: read('relation.between.weight'),
      headType: read('relation.head_type.weight'),
      tailType: read('relation.tail_type.weight'),
      distance: read('relation.distance.weight'),
      out: read('relation.out.weight'),
    }
    this.headBias = read('relation.head.bias').values
    this.outBias = read('relation.out.bias').values
    this.width = this.tables.head.rows
    if (this.tables.out.rows !== relationNames.length) throw new Error('its relations do not match this version')
  }

  /** `vectors`: the encoder's, one per token of the row. */
  relations(row: TagRow, spans: readonly WordSpan[], vectors: Float32Array): PairRelation[] {
    const size = this.tables.head.columns
    const kept = spans.slice(0, maxSpans)
    const places = kept.map((span) => tokensOf(row, span))
    const shares = places.map(({ first, last }) => {
      const pooled = highest(vectors, size, first, last)
      return { head: product(this.tables.head, pooled), tail: product(this.tables.tail, pooled) }
    })
    const found: PairRelation[] = []
    for (let one = 0; one < kept.length; one += 1) {
      for (let two = one + 1; two < kept.length; two += 1) {
        const [left, right] = [places[one], places[two]]
        if (!left || !right) continue
        const middle =
          right.first - left.last > 1
            ? product(this.tables.between, highest(vectors, size, left.last + 1, right.first - 1))
            : new Float32Array(this.width)
        found.push(...this.pair(kept, shares, one, two, middle), ...this.pair(kept, shares, two, one, middle))
      }
    }
    return found
  }

  private pair(
    spans: readonly WordSpan[],
    shares: readonly { readonly head: Float32Array; readonly tail: Float32Array }[],
    head: number,
    tail: number,
    middle: Float32Array,
  ): PairRelation[] {
    const [from, to] = [spans[head], spans[tail]]
    const [fromShare, toShare] = [shares[head]?.head, shares[tail]?.tail]
    if (!from || !to || !fromShare || !toShare) return []
    const mixed = new Float32Array(this.width)
    const { headType, tailType, distance, out } = this.tables
    const extra = [
      rowOf(headType, taggedTypes.indexOf(from.type)),
      rowOf(tailType, taggedTypes.indexOf(to.type)),
      rowOf(distance, distanceOf(from, to)),
    ]
    for (let at = 0; at < this.width; at += 1) {
      let sum = (fromShare[at] ?? 0) + (toShare[at] ?? 0) + (middle[at] ?? 0) + (this.headBias[at] ?? 0)
      for (const row of extra) sum += row[at] ?? 0
      mixed[at] = gelu(sum)
    }
    const logits = product(out, mixed)
    return relationNames.flatMap((name, at) => {
      const score = 1 / (1 + Math.exp(-(logits[at] ?? 0) - (this.outBias[at] ?? 0)))
      return score < leastScore ? [] : [{ head, tail, name, score }]
    })
  }
}

function tokensOf(row: TagRow, span: WordSpan): { readonly first: number; readonly last: number } {
  const next = row.begins[span.last + 1] ?? row.tokens.length - 1
  return { first: row.begins[span.first] ?? 0, last: next - 1 }
}

function distanceOf(from: WordSpan, to: WordSpan): number {
  const gap = Math.max(0, Math.max(from.first, to.first) - Math.min(from.last, to.last) - 1)
  const step = distanceSteps.filter((edge) => gap >= edge).length
  return from.first < to.first ? step : step + distanceSteps.length + 1
}

/** The maximum of each dimension over the tokens, both ends inclusive. */
function highest(vectors: Float32Array, size: number, first: number, last: number): Float32Array {
  const top = vectors.slice(first * size, (first + 1) * size)
  for (let token = first + 1; token <= last; token += 1) {
    const start = token * size
    for (let at = 0; at < size; at += 1) {
      const value = vectors[start + at] ?? 0
      if (value > (top[at] ?? 0)) top[at] = value
    }
  }
  return top
}

/** Four rows at a time: the processor adds to four sums at once, and each of them is added up in the same order as alone. */
function product({ rows, columns, values }: Matrix, input: Float32Array): Float32Array {
  const result = new Float32Array(rows)
  let row = 0
  for (; row + 4 <= rows; row += 4) {
    let [a, b, c, d] = [0, 0, 0, 0]
    const [one, two, three, four] = [row * columns, (row + 1) * columns, (row + 2) * columns, (row + 3) * columns]
    for (let at = 0; at < columns; at += 1) {
      const value = input[at] ?? 0
      a += (values[one + at] ?? 0) * value
      b += (values[two + at] ?? 0) * value
      c += (values[three + at] ?? 0) * value
      d += (values[four + at] ?? 0) * value
    }
    result.set([a, b, c, d], row)
  }
  for (; row < rows; row += 1) {
    let sum = 0
    const start = row * columns
    for (let at = 0; at < columns; at += 1) sum += (values[start + at] ?? 0) * (input[at] ?? 0)
    result[row] = sum
  }
  return result
}

function rowOf({ columns, values }: Matrix, row: number): Float32Array {
  return values.subarray(row * columns, (row + 1) * columns)
}

/**
 * x times the normal distribution function at x; the error function by Abramowitz and Stegun 7.1.26, accurate to 1e-7.
 */
function gelu(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * z)
  const tail = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  const erf = 1 - tail * Math.exp(-z * z)
  return 0.5 * x * (1 + (x < 0 ? -erf : erf))
}
