/** Parses the response of an OpenAI-compatible embeddings service, which is untrusted until it has passed here. */
import { z } from 'zod'
import { parsedJson } from '../../core/parsed-json.js'

export type ParsedEmbeddings =
  | { readonly kind: 'vectors'; readonly vectors: Float32Array[] }
  | { readonly kind: 'problem'; readonly problem: string }

const maxDimensions = 16_384

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.number().int().nonnegative(),
      embedding: z.array(z.number()).min(1).max(maxDimensions),
    }),
  ),
})

/** Unit vectors in the order of the texts, whatever order they arrived in. */
export function parseEmbeddings(body: string, textCount: number): ParsedEmbeddings {
  const answer = answerSchema.safeParse(parsedJson(body))
  if (!answer.success) return problem('its answer is not a list of embeddings')
  const { data } = answer.data
  if (data.length !== textCount) return problem(`it gave ${data.length} vectors for ${textCount} texts`)
  const ordered: (Float32Array | undefined)[] = new Array<undefined>(textCount).fill(undefined)
  const dimensions = data[0]?.embedding.length
  for (const { index, embedding } of data) {
    if (index >= textCount || ordered[index]) return problem('the indexes of its vectors are wrong')
    if (embedding.length !== dimensions) return problem('its vectors differ in length')
    const vector = unitLength(embedding)
    if (!vector) return problem('it returned a zero or infinite vector')
    ordered[index] = vector
  }
  // As many as texts, and no index twice: none is missing.
  return { kind: 'vectors', vectors: ordered.filter((vector) => vector !== undefined) }
}

function problem(text: string): ParsedEmbeddings {
  return { kind: 'problem', problem: text }
}

/** Undefined for zeros, and for numbers that overflow (JSON's 1e400 is Infinity). */
function unitLength(numbers: readonly number[]): Float32Array | undefined {
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (!Number.isFinite(largest) || largest === 0) return undefined
  // Divide by the largest value first, so that squares neither overflow nor underflow.
  const length = largest * Math.sqrt(numbers.reduce((sum, number) => sum + (number / largest) ** 2, 0))
  return Float32Array.from(numbers, (number) => number / length)
}
