/** Reads a whole database without writing anything. */
import { checksumOf } from '../../core/memory.js'
import { Database } from './database.js'

export interface Examined {
  /** SQLite's verdict: `ok`, or the first problem. */
  readonly integrity: string
  readonly users: number
  readonly memories: number
  readonly versions: number
  /** Versions whose content does not match its checksum: it was changed outside the service. */
  readonly mismatches: number
}

export function examine(path: string): Examined {
  const db = new Database(path, { readOnly: true })
  try {
    const integrity = db.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')?.integrity_check ?? 'no verdict'
    if (integrity !== 'ok') return { integrity, users: 0, memories: 0, versions: 0, mismatches: 0 }
    const counts = db.get<{ users: number; memories: number }>(
      'SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM memories) AS memories',
    )
    let [versions, mismatches] = [0, 0]
    for (const [content, checksum] of db.iterate<[string, string]>('SELECT content, checksum FROM versions')) {
      versions += 1
      if (checksumOf(content) !== checksum) mismatches += 1
    }
    return { integrity, users: counts?.users ?? 0, memories: counts?.memories ?? 0, versions, mismatches }
  } finally {
    db.close()
  }
}
