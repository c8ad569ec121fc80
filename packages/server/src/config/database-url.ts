/** The parts of a database URL that may be shown: never the role and its password. */
export interface DatabaseAddress {
  readonly host: string
  /** Host, port and name of the database. */
  readonly shown: string
  readonly isEncrypted: boolean
}

/** Undefined if it is not such a URL. */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '' || url.pathname.length < 2) return undefined
  const encryption = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl') ?? 'disable'
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    shown: `PostgreSQL at ${url.host}${url.pathname}`,
    isEncrypted: !['disable', 'false', 'allow', 'prefer'].includes(encryption),
  }
}

export const exampleDatabaseUrl = 'postgres://keepsake:secret@127.0.0.1:5432/keepsake'

export function databaseUrlProblem(text: string): string | undefined {
  return databaseAddress(text) ? undefined : 'must be a postgres:// URL with a host and the name of a database'
}

export function databaseConcern(text: string, isLoopback: (host: string) => boolean): string | undefined {
  const address = databaseAddress(text)
  if (!address || address.isEncrypted || isLoopback(address.host)) return undefined
  return 'memories travel unencrypted; add ?sslmode=verify-full'
}
