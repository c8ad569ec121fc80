const apiPath = '/api/v1'

/** The address of the interface, `/api/v1` included, without a slash at its end. */
export function baseUrlOf(url: string | URL): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch (error) {
    throw new TypeError('url must be an address such as http://127.0.0.1:8787', { cause: error })
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw new TypeError('url must be http: or https:')
  if (parsed.username !== '' || parsed.password !== '') throw new TypeError('url must have no user name and password')
  if (parsed.search !== '' || parsed.hash !== '') throw new TypeError('url must have no query and no fragment')
  const path = parsed.pathname.replace(/\/+$/, '')
  return `${parsed.origin}${path.endsWith(apiPath) ? path : `${path}${apiPath}`}`
}
