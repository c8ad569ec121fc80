/** The rules for `SERVICE_REDIS_URL`. No message repeats the URL: it may contain a password. */

export function redisUrlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^rediss?:$/.test(url.protocol)) return 'must be a redis or rediss URL'
  if (url.hostname === '') return 'must name a host'
  if (!/^\/?$|^\/[0-9]{1,5}$/.test(url.pathname))
    return 'must have nothing after the host except the number of a database'
  if (url.search || url.hash) return 'must not have a query or a fragment'
  if (!isDecodable(url.username) || !isDecodable(url.password)) return 'has broken percent-encoding in its password'
  return undefined
}

/** A value that is allowed but probably a mistake. */
export function redisConcern(
  text: string,
  limitsEnabled: boolean,
  isLoopback: (host: string) => boolean,
): string | undefined {
  if (!limitsEnabled) return 'has no effect while SERVICE_RATE_LIMIT_ENABLED is false'
  const { protocol, password, hostname } = new URL(text)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol === 'redis:' && password !== '' && !isLoopback(host)) return 'redis sends the password unencrypted'
  return undefined
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
