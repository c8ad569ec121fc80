/**
 * A primary with a synchronous standby. The test kills the primary, promotes the standby, and may start the old primary again
 * beside the new one.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from './postgres.js'

export interface PostgresPair {
  /** Names both servers, always in the same order. */
  readonly url: string
  primary(): PostgresServer
  standby(): PostgresServer
  /** Makes the standby the primary, whatever became of the other. It waits for no standby of its own until `follow`. */
  promote(): Promise<void>
  /** Copies the primary's data to the other server, which becomes its synchronous standby. */
  follow(): Promise<void>
  /**
   * Starts the old primary beside the new one, so that it accepts writes and waits for nobody. Its own maintenance, which would
   * count as writing, is off.
   */
  reviveOld(): Promise<void>
  /** The number of the next transaction that writes: it grows with every write, even with one that fails. */
  nextWrite(server: PostgresServer): Promise<string>
  close(): Promise<void>
}

export async function startPair(options: { readonly directory?: string } = {}): Promise<PostgresPair> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'keepsake-pair-')))
  // PostgreSQL may run as another user.
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
  const folders = [join(directory, 'a'), join(directory, 'b')] as const
  const folderOf = new Map<number, string>()
  let primary = await startPostgres({ durable: true, directory: folders[0] })
  folderOf.set(primary.port, folders[0])
  let standby = await startPostgres({ durable: true, directory: folders[1], standbyOf: primary })
  folderOf.set(standby.port, folders[1])
  const { username, password, pathname } = new URL(primary.url)
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',')
  await waitForStandby(primary)
  return {
    url: `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`,
    primary: () => primary,
    standby: () => standby,
    async promote() {
      await asAdmin(standby, 'SELECT pg_promote(true, 60)')
      ;[primary, standby] = [standby, primary]
    },
    async follow() {
      const { port } = standby
      const folder = folderOf.get(port) ?? ''
      await standby.destroy()
      await rm(join(folder, 'data'), { recursive: true })
      standby = await startPostgres({ durable: true, directory: folder, port, standbyOf: primary })
      await waitForStandby(primary)
    },
    reviveOld: () => standby.start({ synchronous_standby_names: '', autovacuum: 'off' }),
    async nextWrite(server) {
      const next = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next'
      const [row] = await asAdmin<{ next: string }>(server, next)
      return row?.next ?? ''
    },
    async close() {
      await Promise.all([primary.destroy(), standby.destroy()])
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** From now on every commit waits for the standby. */
async function waitForStandby(primary: PostgresServer): Promise<void> {
  await asAdmin(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await asAdmin(primary, 'SELECT pg_reload_conf()')
  const state = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`
  // The caller's time limit ends the wait.
  while ((await asAdmin(primary, state)).length === 0) await sleep(50)
}

async function asAdmin<Row>(server: PostgresServer, statement: string): Promise<Row[]> {
  const sql = server.asAdmin('keepsake')
  try {
    // The caller states the row type.
    return [...(await sql.unsafe(statement))] as Row[]
  } finally {
    await sql.end({ timeout: 1 })
  }
}
