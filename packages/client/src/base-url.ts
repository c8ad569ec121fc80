const apiPath = '/api/v1'

/** The address of the API, including `/api/v1`, without a trailing slash. */
export function baseUrlOf(url: string | URL): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch (error) {
    throw new TypeError('url must be an address such as http://127.0.0.1:8787', { cause: error })
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw new TypeError('url must use http: or https:')
  if (parsed.username !== '' || parsed.password !== '')
    throw new TypeError('url must not contain a user name or password')
  if (parsed.search !== '' || parsed.hash !== '') throw new TypeError('url must not contain a query or a fragment')
  const path = parsed.pathname.replace(/\/+$/, '')
  return `${parsed.origin}${path.endsWith(apiPath) ? path : `${path}${apiPath}`}`
}
