import { storable } from '../domain/storable-text.js'
import type { Database } from './database.js'

export async function claim(db: Database, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO claims AS c (name, holder, until)
     VALUES (?, ?, clock_timestamp() + ?::double precision * interval '1 millisecond')
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
       WHERE c.holder = excluded.holder OR c.until <= clock_timestamp()`,
    storable(name, 'name'),
    storable(holder, 'holder'),
    leaseMs,
  )
  return changed > 0
}

export async function release(db: Database, name: string, holder: string): Promise<void> {
  await db.run('DELETE FROM claims WHERE name = ? AND holder = ?', name, holder)
}
