import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = (await readdir(`${root}/src`)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
const texts = await Promise.all(
  sources.map(async (name) => [name, await readFile(`${root}/src/${name}`, 'utf8')] as const),
)

describe('the package', () => {
  it('has no dependencies of any kind', async () => {
    const manifest = JSON.parse(await readFile(`${root}/package.json`, 'utf8')) as object
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  })

  it('offers every entry as an ES module and as CommonJS, each with its own types', async () => {
    const { exports } = JSON.parse(await readFile(`${root}/package.json`, 'utf8')) as { exports: object }
    const entries = Object.entries(exports).filter(([path]) => path !== './package.json')
    expect(entries.length).toBeGreaterThan(3)
    for (const [path, entry] of entries) {
      const name = path === '.' ? 'index' : path.slice(2)
      expect(sources, path).toContain(`${name}.ts`)
      expect(entry, path).toEqual({
        import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
        require: { types: `./dist/cjs/${name}.d.ts`, default: `./dist/cjs/${name}.js` },
      })
    }
  })

  it('imports only its own files, so that it runs in browsers too', () => {
    const foreign = texts.flatMap(([name, text]) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
        .filter(([, specifier = '']) => !/^\.\/[\w.-]+\.js$/.test(specifier))
        .map(([, specifier]) => `${name}: ${specifier}`),
    )
    expect(foreign).toEqual([])
    expect(texts.length).toBeGreaterThan(15)
  })

  it('has no source file over 400 lines', () => {
    const long = texts.filter(([name, text]) => !name.includes('.generated.') && text.split('\n').length > 400)
    expect(long.map(([name]) => name)).toEqual([])
  })

  it('does not export adapters from its main entry', async () => {
    expect(Object.keys(await import('../src/index.js')).sort()).toEqual([
      'AuthenticationError',
      'ConflictError',
      'ConnectionError',
      'ForbiddenError',
      'InternalError',
      'Keepsake',
      'KeepsakeError',
      'NotFoundError',
      'RateLimitError',
      'TimeoutError',
      'UnavailableError',
      'UnexpectedAnswerError',
      'ValidationError',
      'markedContent',
      'ttlPresets',
      'verifyWebhook',
    ])
  })
})
