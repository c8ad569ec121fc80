/** Stores vectors as pgvector's type and as `bytea`. */
import { bytesOf, quantize } from '../domain/quantize.js'
import { ownRows } from '../sql/own-rows.js'
import type { Session, VectorForms } from '../sql/session.js'

export function postgresVectors(session: Pick<Session, 'all' | 'dialect' | 'send'>): VectorForms {
  return {
    async write(user, vectors) {
      if (vectors.length === 0) return
      const { dialect } = session
      const texts = vectors.map(({ row, vector }) => ({ row, vector: vectorText(vector) }))
      const roughly = vectors.map(({ row, vector }) => {
        const { scale, quantized } = quantize(vector)
        return { row, scale, quantized: Buffer.from(bytesOf(quantized)).toString('hex') }
      })
      await session.send(
        `INSERT INTO vectors (user_id, row, vector)
         SELECT own.user_id, x.row, x.vector::vector FROM ${ownRows(dialect, 'x', { row: 'bigint', vector: 'text' })}
         ON CONFLICT (user_id, row) DO UPDATE SET vector = excluded.vector`,
        JSON.stringify(texts),
        user,
      )
      await session.send(
        `INSERT INTO vectors_quantized (user_id, row, scale, quantized) SELECT own.user_id, x.row, x.scale, decode(x.quantized, 'hex')
         FROM ${ownRows(dialect, 'x', { row: 'bigint', scale: 'double precision', quantized: 'text' })}
         ON CONFLICT (user_id, row) DO UPDATE SET scale = excluded.scale, quantized = excluded.quantized`,
        JSON.stringify(roughly),
        user,
      )
    },
    async carry(user, from, to) {
      await session.send(
        `INSERT INTO vectors (user_id, row, vector)
         SELECT user_id, ?::bigint, vector FROM vectors WHERE user_id = ? AND row = ?`,
        to,
        user,
        from,
      )
      await session.send(
        `INSERT INTO vectors_quantized (user_id, row, scale, quantized)
         SELECT user_id, ?::bigint, scale, quantized FROM vectors_quantized WHERE user_id = ? AND row = ?`,
        to,
        user,
        from,
      )
    },
    async read(user, rows) {
      const found = await session.all<PackedVectors>(readVectors, rows, user)
      return unpacked(found)
    },
  }
}

/** All of them in one value: the driver reads bytes as hexadecimal digits, which takes four times as long as Base64. */
export const readVectors = `SELECT array_to_string(array_agg(row), ' ') AS rows,
    encode(string_agg(vector_send(vector), ''), 'base64') AS vectors
  FROM vectors WHERE row = ANY (?::bigint[]) AND user_id = ?`

/** Null without any vector. */
export interface PackedVectors {
  readonly rows: string | null
  readonly vectors: string | null
}

/** The text that pgvector reads. JavaScript prints -0 without its sign. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (component) => (Object.is(component, -0) ? '-0' : component)).join(',')}]`
}

/** Each as `vector_send` writes it: the number of components and a reserved number, two bytes each, then the components. */
export function unpacked([found]: readonly PackedVectors[]): Map<number, Float32Array> {
  const vectors = new Map<number, Float32Array>()
  if (!found?.rows || !found.vectors) return vectors
  const bytes = Buffer.from(found.vectors, 'base64')
  // From network byte order to this machine's, which is little-endian wherever Node.js runs.
  bytes.swap32()
  let at = 0
  for (const row of found.rows.split(' ')) {
    const end = at + 4 + 4 * bytes.readUInt16LE(at + 2)
    // A copy begins where a number may begin, and does not keep the other vectors in memory.
    vectors.set(Number(row), new Float32Array(Uint8Array.from(bytes.subarray(at + 4, end)).buffer))
    at = end
  }
  return vectors
}
