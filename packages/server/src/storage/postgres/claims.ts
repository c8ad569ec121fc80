import { storable } from '../domain/storable-text.js'
import type { Session } from '../sql/session.js'

export async function claim(session: Session, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const changed = await session.run(
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

export async function release(session: Session, name: string, holder: string): Promise<void> {
  await session.run('DELETE FROM claims WHERE name = ? AND holder = ?', name, holder)
}
