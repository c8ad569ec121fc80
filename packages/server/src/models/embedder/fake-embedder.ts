/**
 * A substitute for tests of other modules: each word is hashed to a few of 384 signed positions, so that texts with
 * common words are similar. It needs no model and returns the same vectors everywhere.
 */
import { createHash } from 'node:crypto'
import { unavailable } from '../../core/errors.js'
import type { Embedder } from '../models.js'

const dimensions = 384

export function fakeEmbedder(): Embedder {
  let closed = false
  return {
    modelId: 'fake-384',
    dimensions,
    async embed(texts) {
      if (closed) throw unavailable('The embedding model has been closed')
      return texts.map(hashedVector)
    },
    queueLength: () => 0,
    async close() {
      closed = true
    },
  }
}

function hashedVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  // A text without words still gets a direction, as the empty text does in a real model.
  for (const word of words.length > 0 ? words : ['']) {
    const digest = createHash('sha256').update(word).digest()
    for (let at = 0; at < 24; at += 3) {
      const place = digest.readUInt16LE(at) % dimensions
      vector[place] = (vector[place] ?? 0) + (digest.readUInt8(at + 2) % 2 === 0 ? 1 : -1)
    }
  }
  const length = Math.hypot(...vector)
  // Opposite signs can cancel out, though hardly ever all of them.
  if (length === 0) vector[0] = 1
  else for (let at = 0; at < dimensions; at += 1) vector[at] = (vector[at] ?? 0) / length
  return vector
}
