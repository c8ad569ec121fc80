/** Where a client may receive codes: https, its own machine, or an application with its own scheme (RFC 8252). */

const longest = 500
/** Schemes that a browser or the system handles itself. */
const notForApplications =
  /^(?:about|blob|content|data|file|filesystem|ftp|intent|javascript|mailto|resource|sms|tel|vbscript|view-source|wss?):/
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/

/** Undefined: the URI is acceptable. */
export function redirectProblem(uri: string): string | undefined {
  if (uri.length > longest) return `must have at most ${longest} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return 'must be a URL in ASCII'
  const url = new URL(uri)
  if (url.username || url.password || url.hash || uri.includes('#')) return 'must not have credentials or a fragment'
  if (url.protocol === 'https:') return uri.startsWith('https://') ? undefined : 'must be an https URL'
  if (url.protocol === 'http:') return loopback.test(uri) ? undefined : 'must be an https URL, or http on loopback'
  if (notForApplications.test(url.protocol)) return 'must be an https URL, or the scheme of an application'
  return /^[a-z][a-z0-9+.-]{1,63}:/.test(uri) ? undefined : 'must be an https URL, or the scheme of an application'
}

/** Exactly equal, except that an application on loopback chooses its port when it starts (RFC 8252, 7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (redirectProblem(uri) !== undefined) return false
  return (
    registered.includes(uri) ||
    (loopback.test(uri) && registered.some((each) => withoutPort(each) === withoutPort(uri)))
  )
}

function withoutPort(uri: string): string {
  return loopback.test(uri) ? uri.replace(/^(http:\/\/(?:\[::1\]|[^:/?]+)):\d{1,5}/, '$1') : uri
}

/** For people: the host, or the scheme of an application. */
export function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  if (loopback.test(uri)) return `an application on this device (${host})`
  return protocol === 'https:' ? host : `an application on this device (${protocol}//)`
}

/** No URI that `redirectProblem` accepts has a fragment. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) given.append(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${given}`
}
