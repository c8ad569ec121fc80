/**
 * The hosts of a database URL. PostgreSQL's own programs accept several, separated by commas, and so does the service:
 * `postgres://role:password@a:5432,b:5432/name?target_session_attrs=read-write`.
 */
export interface DatabaseHost {
  /** Host and port, never the role and its password. */
  readonly name: string
  /** The URL with this host alone. */
  readonly url: string
}

const schemes = ['postgres://', 'postgresql://']
const defaultPort = '5432'

/** At least one host; undefined if it is not such a URL. */
export function databaseHosts(text: string): readonly DatabaseHost[] | undefined {
  const scheme = schemes.find((each) => text.toLowerCase().startsWith(each))
  if (scheme === undefined) return undefined
  const afterScheme = text.slice(scheme.length)
  const end = afterScheme.search(/[/?#]/)
  const authority = end === -1 ? afterScheme : afterScheme.slice(0, end)
  const rest = end === -1 ? '' : afterScheme.slice(end)
  const at = authority.lastIndexOf('@') + 1
  const names = authority.slice(at).split(',')
  const hosts: DatabaseHost[] = []
  for (const name of names) {
    const single = `${scheme}${authority.slice(0, at)}${name}${rest}`
    const url = URL.canParse(single) ? new URL(single) : undefined
    if (!url || url.hostname === '' || url.pathname.length < 2) return undefined
    // The service decides which host it uses; the driver gets one.
    if (names.length > 1) url.searchParams.delete('target_session_attrs')
    hosts.push({ name: `${url.hostname}:${url.port || defaultPort}`, url: names.length > 1 ? url.href : text })
  }
  return hosts
}
