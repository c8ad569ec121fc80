/** Stores vectors as blobs. Their tables have no `user_id`: the row number identifies the user. */
import { bytesOf, quantize } from '../domain/quantize.js'
import type { VectorForms } from '../sql/session.js'
import type { Database } from './database.js'

export function sqliteVectors(db: Database): VectorForms {
  return {
    async write(_user, vectors) {
      // Row by row: a blob can be bound directly, but a batch would need it as JSON.
      for (const { row, vector } of vectors) {
        const { scale, quantized } = quantize(vector)
        db.run('INSERT OR REPLACE INTO vectors (row, vector) VALUES (?, ?)', row, bytesOf(vector))
        db.run(
          'INSERT OR REPLACE INTO vectors_quantized (row, scale, quantized) VALUES (?, ?, ?)',
          row,
          scale,
          bytesOf(quantized),
        )
      }
    },
    async carry(_user, from, to) {
      db.run('INSERT INTO vectors SELECT ?, vector FROM vectors WHERE row = ?', to, from)
      db.run('INSERT INTO vectors_quantized SELECT ?, scale, quantized FROM vectors_quantized WHERE row = ?', to, from)
    },
    async read(_user, rows) {
      const found = db.all<{ row: number; vector: Uint8Array }>(
        'SELECT row, vector FROM vectors WHERE row IN (SELECT value FROM json_each(?))',
        JSON.stringify(rows),
      )
      // Copied: a blob may begin at any address, a Float32Array only at a multiple of four.
      return new Map(found.map(({ row, vector }) => [row, new Float32Array(vector.slice().buffer)]))
    },
  }
}
