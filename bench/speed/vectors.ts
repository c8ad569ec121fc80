/**
 * Vectors without an embedder: real vectors of a few hundred sample sentences are the centres, and each memory's vector
 * is near the centre of its kind, at a cosine of 0.8. Embedding 100,000 sentences would take twenty minutes, and the
 * time of a search depends on the number of vectors, not on their meaning.
 */
import type { Embedder } from '../../packages/server/src/models/models.js'
import { random } from '../random.js'
import { sampleOf, templateCount } from './sentences.js'

const samplesPerTemplate = 24
/** Noise of this length added to a centre of length 1 gives a cosine of 0.8 between the two. */
const noiseLength = 0.75

export interface Centres {
  readonly dimensions: number
  readonly modelId: string
  /** `templateCount × samplesPerTemplate` rows. */
  readonly values: Float32Array
}

export async function embedCentres(embedder: Embedder): Promise<Centres> {
  const values = new Float32Array(templateCount * samplesPerTemplate * embedder.dimensions)
  for (let template = 0; template < templateCount; template++) {
    const texts = Array.from({ length: samplesPerTemplate }, (_, sample) => sampleOf(template, sample))
    const vectors = await embedder.embed(texts)
    for (const [sample, vector] of vectors.entries()) {
      values.set(vector, (template * samplesPerTemplate + sample) * embedder.dimensions)
    }
  }
  return { dimensions: embedder.dimensions, modelId: embedder.modelId, values }
}

/** The vector of the memory with this number; always the same. */
export function syntheticVector(centres: Centres, template: number, number: number): Float32Array {
  const { dimensions, values } = centres
  const next = random(Math.imul(number + 1, 0x85ebca6b))
  const row = template * samplesPerTemplate + Math.floor(next() * samplesPerTemplate)
  const vector = new Float32Array(dimensions)
  let squares = 0
  for (let index = 0; index < dimensions; index++) {
    const noise = next() - 0.5
    vector[index] = noise
    squares += noise * noise
  }
  const noiseScale = noiseLength / Math.sqrt(squares)
  squares = 0
  for (let index = 0; index < dimensions; index++) {
    const value = (vector[index] ?? 0) * noiseScale + (values[row * dimensions + index] ?? 0)
    vector[index] = value
    squares += value * value
  }
  const length = Math.sqrt(squares)
  for (let index = 0; index < dimensions; index++) vector[index] = (vector[index] ?? 0) / length
  return vector
}
