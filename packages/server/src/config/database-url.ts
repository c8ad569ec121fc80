import { type DatabaseHost, databaseHosts } from '../core/database-hosts.js'

/** The parts of a database URL that may be shown: never the role and its password. */
export interface DatabaseAddress {
  readonly hosts: readonly string[]
  /** Hosts, ports and name of the database. */
  readonly shown: string
  readonly isEncrypted: boolean
}

/** Undefined if it is not such a URL. */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  const hosts = databaseHosts(text)
  const [first] = hosts ?? []
  if (!hosts || !first) return undefined
  const url = new URL(first.url)
  const encryption = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl') ?? 'disable'
  return {
    hosts: hosts.map((host) => new URL(host.url).hostname.replace(/^\[(.*)\]$/, '$1')),
    shown: `PostgreSQL at ${hosts.map((host) => new URL(host.url).host).join(',')}${url.pathname}`,
    isEncrypted: !['disable', 'false', 'allow', 'prefer'].includes(encryption),
  }
}

export const exampleDatabaseUrl = 'postgres://keepsake:secret@127.0.0.1:5432/keepsake'

export function databaseUrlProblem(text: string): string | undefined {
  const hosts = databaseHosts(text)
  if (!hosts) return 'must be a postgres:// URL with a host and the name of a database'
  return repeatedHost(hosts) ?? sessionProblem(text)
}

/** One server under two names would look like two servers that accept writes. */
function repeatedHost(hosts: readonly DatabaseHost[]): string | undefined {
  const names = hosts.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? undefined : `must name each host once, and names ${repeated} twice`
}

function sessionProblem(text: string): string | undefined {
  const query = text.includes('?') ? text.slice(text.indexOf('?') + 1) : ''
  const wanted = new URLSearchParams(query).get('target_session_attrs') ?? 'read-write'
  if (['read-write', 'primary'].includes(wanted)) return undefined
  return 'must have the target_session_attrs read-write or primary, or none, because Keepsake writes'
}

export function databaseConcern(text: string, isLoopback: (host: string) => boolean): string | undefined {
  const address = databaseAddress(text)
  if (!address || address.isEncrypted || address.hosts.every(isLoopback)) return undefined
  return 'memories travel unencrypted; add ?sslmode=verify-full'
}
