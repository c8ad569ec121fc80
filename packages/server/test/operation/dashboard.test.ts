/** How the dashboard's files are served. `npm run test:browser` opens them in a browser. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

let service: TestService
beforeAll(async () => {
  service = await startService({ auth: true })
})
afterAll(() => service.close())

const get = (url: string, encoding?: string) =>
  service.app.inject({ method: 'GET', url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })

async function assets(): Promise<string[]> {
  const { body } = await get('/dashboard/')
  return [...body.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => `/dashboard/${path}`)
}

it('is served without a key, with relative URLs that work behind a prefix', async () => {
  const short = await get('/dashboard')
  expect(short.statusCode).toBe(308)
  expect(short.headers.location).toBe('dashboard/')
  const page = await get('/dashboard/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.body).not.toMatch(/(?:src|href)="\//)
})

it('has a policy against inline code, other origins, framing and untrusted HTML', async () => {
  const { headers } = await get('/dashboard/')
  const policy = String(headers['content-security-policy'])
  const directives = new Map(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]))
  expect(directives.get('default-src')).toBe("'none'")
  for (const own of ['script-src', 'style-src', 'connect-src']) expect(directives.get(own)).toBe("'self'")
  expect(directives.get('img-src')).toBe("'self' data:")
  for (const none of ['frame-ancestors', 'base-uri', 'form-action']) expect(directives.get(none)).toBe("'none'")
  expect(directives.get('require-trusted-types-for')).toBe("'script'")
  expect(policy).not.toContain('unsafe')
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  expect(headers['cache-control']).toBe('no-cache')
})

it('serves each file under a hashed name with a cache lifetime of a year, compressed on request', async () => {
  const paths = await assets()
  expect(paths.length).toBeGreaterThanOrEqual(2)
  for (const path of paths) {
    const plain = await get(path)
    expect(plain.statusCode).toBe(200)
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const brotli = await get(path, 'gzip, deflate, br')
    if (path.endsWith('.woff2')) {
      // A font is compressed already.
      expect(brotli.headers['content-encoding']).toBeUndefined()
      continue
    }
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true)
    const zipped = await get(path, 'gzip, br;q=0')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true)
  }
})

it.each([
  '/dashboard/assets/none.js',
  '/dashboard/assets/..%2findex.html',
  '/dashboard/.inputs',
  '/dashboard/index.html',
])('answers 404 to %s', async (path) => {
  expect((await get(path)).statusCode).toBe(404)
})

it('does not serve compressed files by name', async () => {
  const [first] = await assets()
  expect((await get(`${first}.br`)).statusCode).toBe(404)
})
