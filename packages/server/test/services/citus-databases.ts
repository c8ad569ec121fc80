/**
 * Databases on a Citus cluster. Citus does not create a database on the other nodes, so it is created on each, from a template that
 * has the extensions and knows the nodes. Only a superuser may do that.
 */
import postgres from 'postgres'
import type { TestDatabase } from './postgres.js'

/** Set by `global-setup.ts`: the URLs of all nodes as superuser, without a database, the coordinator first. */
const variable = 'SERVICE_TEST_CITUS_NODES'

export const emptyTemplate = 'citus_template'

/** Undefined: that server is not the coordinator of the cluster that the tests share. */
export function nodesOf(serverUrl: string): readonly string[] | undefined {
  const nodes = (process.env[variable] ?? '').split(' ').filter((node) => node !== '')
  return nodes[0] !== undefined && new URL(nodes[0]).host === new URL(serverUrl).host ? nodes : undefined
}

export function shareNodes(nodes: readonly string[]): void {
  process.env[variable] = nodes.join(' ')
}

export async function makeOnEveryNode(
  nodes: readonly string[],
  serverUrl: string,
  name: string,
  template = emptyTemplate,
): Promise<TestDatabase> {
  for (const node of nodes) {
    await asAdmin(node, async (sql) => {
      await release(sql, template)
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER keepsake STRATEGY file_copy`)
    })
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    async drop() {
      for (const node of nodes) {
        await asAdmin(node, async (sql) => {
          await release(sql, name)
          await sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
        })
      }
    },
  }
}

/** A database can only be copied or dropped while nobody is connected to it, and Citus keeps a process connected to every database. */
async function release(sql: postgres.Sql, name: string): Promise<void> {
  await sql`UPDATE pg_database SET datallowconn = false WHERE datname = ${name}`
  await sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ${name}`
}

export async function asAdmin<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
  database = 'postgres',
): Promise<T> {
  const sql = postgres(`${url}/${database}`, { max: 1, onnotice: () => undefined })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** Deletes all rows of the service: quicker than a new database on every node. */
export async function empty(nodes: readonly string[], { name }: TestDatabase): Promise<void> {
  const [coordinator = ''] = nodes
  await asAdmin(
    coordinator,
    async (sql) => {
      const tables = await sql<{ name: string }[]>`SELECT relname AS name FROM pg_class WHERE relkind = 'r'
        AND relnamespace = current_schema()::regnamespace AND relname <> 'keepsake_schema' AND pg_get_userbyid(relowner) = 'keepsake'
        ORDER BY relname NOT IN ('memories', 'relationships')`
      await sql.begin(async (transaction) => {
        // First those whose rows take other rows with them that refer to entities.
        for (const table of tables) await transaction`DELETE FROM ${transaction(table.name)}`
      })
    },
    name,
  )
}
