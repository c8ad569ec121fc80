/** The OpenAPI document and its two pages. Everything is served from this process, nothing from a CDN. */
import { readFile } from 'node:fs/promises'
import { notFound } from '../../core/errors.js'
import { workerUrl } from '../../core/worker-url.js'
import { type Endpoint, rawEndpoint } from '../endpoint.js'
import { llmsText } from '../openapi/llms-text.js'
import { yamlText } from '../openapi/yaml-text.js'
import { keptContent, sendKept } from '../response/kept-content.js'

const day = 86_400

interface Asset {
  readonly path: string
  readonly mediaType: string
  readonly summary: string
  /** A file that `build-assets.mjs` copied from an installed package, or a short text of our own. */
  readonly content: { readonly file: string } | { readonly text: string }
}

const assets: readonly Asset[] = [
  {
    path: '/docs/swagger-ui-bundle.js',
    mediaType: 'text/javascript; charset=utf-8',
    summary: 'Script of the Swagger UI page',
    content: { file: 'swagger-ui-bundle.js' },
  },
  {
    path: '/docs/swagger-ui.css',
    mediaType: 'text/css; charset=utf-8',
    summary: 'Style of the Swagger UI page',
    content: { file: 'swagger-ui.css' },
  },
  {
    path: '/docs/start.js',
    mediaType: 'text/javascript; charset=utf-8',
    summary: 'Starts the Swagger UI page',
    content: {
      text: "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null, presets: [SwaggerUIBundle.presets.apis] })\n",
    },
  },
  {
    path: '/redoc/redoc.standalone.js',
    mediaType: 'text/javascript; charset=utf-8',
    summary: 'Script of the ReDoc page',
    content: { file: 'redoc.standalone.js' },
  },
  {
    path: '/redoc/start.js',
    mediaType: 'text/javascript; charset=utf-8',
    summary: 'Starts the ReDoc page',
    content: {
      text: "Redoc.init('openapi.json', { expandResponses: '200,201', nativeScrollbars: true, requiredPropsFirst: true }, document.getElementById('page'))\n",
    },
  },
]

export function documentationEndpoints(document: () => object): readonly Endpoint[] {
  const described = { method: 'GET', base: 'both', tag: 'Documentation', access: 'open', limit: 'none' } as const
  const once = memoize(document)
  const json = memoize(() => JSON.stringify(once()))
  const jsonFile = keptContent(json)
  // Made from the JSON, so that both have the same content: JSON omits undefined values.
  const yamlFile = keptContent(() => yamlText(JSON.parse(json())))
  const textFile = keptContent(() => llmsText(once()))

  return [
    rawEndpoint({
      ...described,
      path: '/openapi.json',
      operationId: 'getOpenApiJson',
      summary: 'This document as JSON',
      mediaType: 'application/json',
      handle: async ({ reply }) => sendKept(reply, await jsonFile()),
    }),
    rawEndpoint({
      ...described,
      path: '/openapi.yaml',
      operationId: 'getOpenApiYaml',
      summary: 'This document as YAML',
      mediaType: 'application/yaml',
      handle: async ({ reply }) => sendKept(reply, await yamlFile()),
    }),
    rawEndpoint({
      ...described,
      base: 'root',
      path: '/llms.txt',
      operationId: 'getLlmsText',
      summary: 'Summary of this service for language models',
      mediaType: 'text/plain; charset=utf-8',
      handle: async ({ reply }) => sendKept(reply, await textFile()),
    }),
    rawEndpoint({
      ...described,
      path: '/docs',
      operationId: 'getSwaggerUi',
      summary: 'Swagger UI: this document as an interactive page',
      mediaType: 'text/html; charset=utf-8',
      async handle({ reply }) {
        reply.headers(pageHeaders())
        return page('Keepsake API', ['docs/swagger-ui.css'], ['docs/swagger-ui-bundle.js', 'docs/start.js'])
      },
    }),
    rawEndpoint({
      ...described,
      path: '/redoc',
      operationId: 'getReDoc',
      summary: 'ReDoc: this document as a reference page',
      mediaType: 'text/html; charset=utf-8',
      async handle({ reply }) {
        // ReDoc searches in a worker that it creates from a blob.
        reply.headers(pageHeaders('worker-src blob:', 'child-src blob:'))
        return page('Keepsake API', [], ['redoc/redoc.standalone.js', 'redoc/start.js'])
      },
    }),
    ...assets.map((asset) => assetEndpoint(asset)),
  ]
}

function assetEndpoint(asset: Asset): Endpoint {
  const content = keptContent(() => ('text' in asset.content ? asset.content.text : readAsset(asset.content.file)))
  const name = asset.path.replace(/[^a-z]+(\w)?/g, (_, letter: string = '') => letter.toUpperCase())
  return rawEndpoint({
    method: 'GET',
    base: 'both',
    tag: 'Documentation',
    access: 'open',
    limit: 'none',
    notFound: true,
    path: asset.path,
    operationId: `get${name}`,
    summary: asset.summary,
    mediaType: asset.mediaType,
    async handle({ reply }) {
      const kept = await content()
      reply.headers({ 'cache-control': `public, max-age=${day}`, 'x-content-type-options': 'nosniff' })
      return sendKept(reply, kept)
    },
  })
}

async function readAsset(file: string): Promise<Buffer> {
  try {
    return await readFile(workerUrl(import.meta.url, `../../public/${file}`))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw notFound('The built page asset')
    throw error
  }
}

function pageHeaders(...further: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Both pages set styles from their scripts.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    ...further,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  }
}

/** Addresses are relative, so that the page works both behind a prefix and at the root. */
function page(title: string, styles: readonly string[], scripts: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    '<style>body { margin: 0 } img[src^="data:,"] { display: none }</style>',
    '</head>',
    '<body>',
    '<div id="page"></div>',
    ...scripts.map((source) => `<script src="${source}"></script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
