/** Stores vectors as pgvector's type and as `bytea`. */
import { bytesOf, quantize } from '../domain/quantize.js'
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
         SELECT ?, x.row, x.vector::vector FROM ${dialect.rows('x', { row: 'bigint', vector: 'text' })}
         ON CONFLICT (user_id, row) DO UPDATE SET vector = excluded.vector`,
        user,
        JSON.stringify(texts),
      )
      await session.send(
        `INSERT INTO vectors_quantized (user_id, row, scale, quantized) SELECT ?, x.row, x.scale, decode(x.quantized, 'hex')
         FROM ${dialect.rows('x', { row: 'bigint', scale: 'double precision', quantized: 'text' })}
         ON CONFLICT (user_id, row) DO UPDATE SET scale = excluded.scale, quantized = excluded.quantized`,
        user,
        JSON.stringify(roughly),
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
      const found = await session.all<{ row: number; vector: Buffer }>(
        `SELECT row, vector_send(vector) AS vector FROM vectors
         WHERE user_id = ? AND ${session.dialect.among('row', 'bigint')}`,
        user,
        rows,
      )
      return new Map(found.map(({ row, vector }) => [row, vectorOf(vector)]))
    },
  }
}

/** The text that pgvector reads. JavaScript prints -0 without its sign. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (component) => (Object.is(component, -0) ? '-0' : component)).join(',')}]`
}

/** As `vector_send` writes it: the number of components and a reserved number, two bytes each, then the components. */
function vectorOf(sent: Buffer): Float32Array {
  const bytes = Buffer.from(sent.subarray(4))
  // From network byte order to this machine's, which is little-endian wherever Node.js runs.
  bytes.swap32()
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).slice()
}
