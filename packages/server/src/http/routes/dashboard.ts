/**
 * Serves the files of the dashboard from memory. They need no key: the page asks for one, and reads no data without it. They are not
 * in the table of endpoints, which describes the API. `packages/dashboard` builds them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { notFound } from '../../core/errors.js'
import { workerUrl } from '../../core/worker-url.js'
import { type Endpoint, endpoint } from '../endpoint.js'

const address = '/dashboard'
const year = 31_536_000

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}

/** Tells the hooks what they need to know. It is never described or called as an endpoint. */
const door: Endpoint = endpoint({
  method: 'GET',
  path: address,
  base: 'root',
  operationId: 'dashboard',
  summary: 'The dashboard',
  tag: 'Operations',
  access: 'open',
  limit: 'none',
  answer: z.unknown(),
  handle: () => undefined,
})

/** No inline scripts or styles, nothing from other origins, and no text that becomes markup: even a hostile memory stays text. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The names of assets change with their content. */
const assetHeaders = {
  'cache-control': `public, max-age=${year}, immutable`,
  'cross-origin-resource-policy': 'same-origin',
}

/** By file name. `name.br` and `name.gz` are compressed forms of the same file. */
export type BuiltFiles = ReadonlyMap<string, Buffer>

export function registerDashboard(app: FastifyInstance, files: BuiltFiles = readBuiltFiles()): void {
  const config = { endpoint: door }
  app.route({
    method: 'GET',
    url: address,
    config,
    // The page refers to its files relative to the folder, so that it also works behind a prefix.
    handler: (_request, reply) =>
      reply.code(308).header('location', 'dashboard/').type('text/plain').send('The dashboard is at dashboard/\n'),
  })
  app.route({
    method: 'GET',
    url: `${address}/`,
    config,
    handler: (request, reply) => sendFile(request, reply.headers(pageHeaders), files, 'index.html'),
  })
  app.route<{ Params: { file: string } }>({
    method: 'GET',
    url: `${address}/assets/:file`,
    config,
    handler: (request, reply) => sendFile(request, reply, files, `assets/${request.params.file}`, assetHeaders),
  })
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: BuiltFiles,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  const mediaType = mediaTypes[name.split('.').pop() ?? '']
  const plain = files.get(name)
  if (plain === undefined || mediaType === undefined) throw notFound('The dashboard file')
  reply
    .headers(headers)
    .type(mediaType)
    .header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '))
  const accepted = acceptedEncodings(request.headers['accept-encoding'])
  for (const { encoding, ending } of compressed) {
    const content = files.get(`${name}.${ending}`)
    if (content !== undefined && accepted.has(encoding)) return reply.header('content-encoding', encoding).send(content)
  }
  return reply.send(plain)
}

/** Smallest first. */
const compressed = [
  { encoding: 'br', ending: 'br' },
  { encoding: 'gzip', ending: 'gz' },
]

function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',')
  return new Set(
    parts.flatMap((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name]
    }),
  )
}

/** Empty if nothing was built: the addresses then return 404. */
function readBuiltFiles(): BuiltFiles {
  const folder = fileURLToPath(workerUrl(import.meta.url, '../../dashboard/'))
  try {
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    return new Map(paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path)]))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map()
    throw error
  }
}
