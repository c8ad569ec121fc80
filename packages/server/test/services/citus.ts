/** A Citus cluster for the tests: one coordinator, which has no users' rows, and two workers. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asAdmin, emptyTemplate, makeOnEveryNode } from './citus-databases.js'
import { type PostgresServer, password, startPostgres } from './postgres.js'

export interface CitusCluster {
  /** Of the coordinator, as a role that is not a superuser. */
  readonly url: string
  readonly coordinator: PostgresServer
  readonly workers: readonly PostgresServer[]
  /** The URLs of all nodes as superuser, without a database, the coordinator first. */
  readonly nodes: readonly string[]
  close(): Promise<void>
}

const workerCount = 2

const settings = {
  shared_preload_libraries: 'citus',
  max_connections: '400',
  // A transaction on several workers is prepared on each.
  max_prepared_transactions: '400',
  // One for each database that a test has open.
  max_worker_processes: '200',
  'citus.node_conninfo': 'sslmode=prefer',
}

export interface CitusOptions {
  readonly durable?: boolean
  /** Where the data are. It is not removed. */
  readonly directory?: string
  /** Per table. Few by default, because every test has a database of its own; 32 is the default of Citus. */
  readonly shards?: number
}

export async function startCitus(options: CitusOptions = {}): Promise<CitusCluster> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'keepsake-citus-')))
  await mkdir(directory, { recursive: true })
  // PostgreSQL may run as another user.
  await chmod(directory, 0o755)
  const servers: PostgresServer[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.destroy()))
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }
  try {
    for (let number = 0; number <= workerCount; number++) {
      const own = { directory: join(directory, number === 0 ? 'coordinator' : `worker-${number}`) }
      const durable = options.durable ?? false
      const all = { ...settings, 'citus.shard_count': String(options.shards ?? 4) }
      servers.push(await startPostgres({ durable, extension: 'citus', settings: all, ...own }))
    }
    const nodes = servers.map(({ port }) => `postgres://admin:${password}@127.0.0.1:${port}`)
    await connect(nodes)
    const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]]
    await dropPlain(nodes)
    await makeOnEveryNode(nodes, coordinator.url, 'keepsake')
    return { url: coordinator.url, coordinator, workers, nodes, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Makes an empty database on every node in which the nodes know each other. */
async function connect(nodes: readonly string[]): Promise<void> {
  const ports = nodes.map((node) => Number(new URL(node).port))
  for (const node of nodes) {
    await asAdmin(node, (sql) => sql.unsafe(`CREATE DATABASE ${emptyTemplate}`))
    await asAdmin(node, (sql) => sql.unsafe('CREATE EXTENSION citus'), emptyTemplate)
  }
  const [coordinator = ''] = nodes
  await asAdmin(
    coordinator,
    async (sql) => {
      const [own = 0, ...others] = ports
      await sql`SELECT citus_set_coordinator_host('127.0.0.1', ${own})`
      for (const port of others) await sql`SELECT citus_add_node('127.0.0.1', ${port})`
    },
    emptyTemplate,
  )
}

/** Every server has a database of this name, which knows no other node. */
async function dropPlain(nodes: readonly string[]): Promise<void> {
  for (const node of nodes) await asAdmin(node, (sql) => sql.unsafe('DROP DATABASE keepsake'))
}
