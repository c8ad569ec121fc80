/**
 * Bundles the compiled service and its dependencies: one file for the program and one per thread, in `dist/bundle`. `bundled.ts`
 * loads them. Native packages, and packages that few services need, stay outside. Does nothing if nothing changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('./dist/', import.meta.url))
const target = join(built, 'bundle')
const manifestPath = join(target, 'manifest.json')
const lockfile = fileURLToPath(new URL('../../package-lock.json', import.meta.url))
const outside = ['@photostructure/sqlite', '@redis/client', 'bcrypt', 'onnxruntime-node', 'postgres']

/** The URL of a module before it was bundled. */
const urlOf = `const urlOf = (path) => require('node:url').pathToFileURL(require('node:path').join(__dirname, path)).href`

const sha256 = (content) => createHash('sha256').update(content).digest('hex')
const build = sha256(readFileSync(join(built, '.tsbuildinfo')))
/** What else decides about the result. */
const inputs = sha256(
  `${process.version}${readFileSync(lockfile, 'utf8')}${readFileSync(fileURLToPath(import.meta.url), 'utf8')}`,
)

if (!isCurrent()) await bundle()

function isCurrent() {
  if (!existsSync(manifestPath)) return false
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
  return manifest.build === build && manifest.inputs === inputs
}

async function bundle() {
  // Loaded on demand: most runs only compare digests.
  const { build: run, transform } = await import('esbuild')
  const threads = readdirSync(built, { recursive: true })
    .filter((path) => path.endsWith('-worker.js') && !/^(?:bundle|storage.contract)\b|kept-worker/.test(path))
    .map((path) => join(built, path))
  const entries = [join(built, 'boot', 'program.js'), ...threads]
  const { outputFiles } = await run({
    entryPoints: Object.fromEntries(entries.map((path) => [basename(path, '.js'), path])),
    outdir: target,
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.12',
    // Threads select operations by the names of functions.
    keepNames: true,
    // The licences are in the packages, which are installed too.
    legalComments: 'none',
    external: outside,
    define: { isInBundle: 'true' },
    plugins: [{ name: 'own modules', setup: (builder) => ownModules(builder, transform) }],
    banner: { js: urlOf },
  })
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  const files = {}
  for (const { path, text } of outputFiles) {
    const name = basename(path, '.js')
    const contents = ascii(text)
    files[name] = `${name}-${sha256(contents).slice(0, 16)}.cjs`
    writeFileSync(join(target, files[name]), contents)
    if (name === 'program') continue
    // The module itself runs if the bundle has become older than the sources.
    const module = relative(
      target,
      entries.find((entry) => basename(entry, '.js') === name),
    ).replaceAll('\\', '/')
    const loader = `import { loadBundled } from '../boot/bundled.js'

if (loadBundled('${name}') === undefined) await import('${module}')
`
    writeFileSync(join(target, `${name}.js`), loader)
  }
  // Last, so that an interrupted build runs again.
  writeFileSync(manifestPath, `${JSON.stringify({ build, inputs, files }, null, 2)}\n`)
}

/**
 * The bundler leaves other characters only in regular expressions, where an escape means the same, and in raw templates, where it does
 * not. V8 keeps one byte per character of ASCII.
 */
function ascii(text) {
  if (/\.raw`[^`]*[^\0-\x7f]/.test(text)) return text
  return text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Modules find files and threads relative to themselves, as before. */
function ownModules(builder, transform) {
  builder.onLoad({ filter: /[\\/]server[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
    const own = relative(built, path).replaceAll('\\', '/')
    const url = `urlOf(${JSON.stringify(relative(target, path).replaceAll('\\', '/'))})`
    const source = readFileSync(path, 'utf8').replaceAll('import.meta.url', url)
    return { contents: isPatient(own) ? await patient(source, transform) : source, loader: 'js' }
  })
}

/**
 * Whether a module waits with what it imports. Those that compute do not: they call each other often, and nothing needs them before the
 * first request.
 */
function isPatient(path) {
  return /^(?:boot|http|mcp|service|models)\//.test(path) && !path.endsWith('-worker.js')
}

/**
 * Evaluates an imported module of ours when one of its exports is used, which for most modules is the first request. No module
 * depends on the order of evaluation. The bundler finds the uses: in CommonJS it writes them as properties of the imported module.
 */
async function patient(source, transform) {
  const imports = /^import\s(?:[^'";]+\sfrom\s)?'([^']+)';$/gm
  // Packages stay as they are.
  const kept = [...source.matchAll(imports)].filter(([, path]) => !path.startsWith('.')).map(([statement]) => statement)
  const own = source.replace(imports, (statement, path) => (path.startsWith('.') ? statement : ''))
  const { code } = await transform(own, { format: 'cjs', target: 'node20.12' })
  const [, listed = '', body = code] =
    /__export\(stdin_exports, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = [^\n]+\n([\s\S]*)$/.exec(code) ?? []
  const paths = new Map(
    [...body.matchAll(/^var (import_\w+) = require\("(\.[^"]+)"\);$/gm)].map(([, name, path]) => [name, path]),
  )
  for (const name of paths.keys()) {
    if (source.includes(name)) throw new Error(`A module contains the text ${name}, which bundle.mjs needs`)
  }
  const lazily = (name) => `var ${name}_, ${name} = () => ${name}_ ??= require(${JSON.stringify(paths.get(name))});`
  const uses = body.replace(
    /(?<!\w)(new |var )?(import_\w+)(\.\w+| = require\([^)]*\);)?/g,
    (text, before, name, after) => {
      if (!paths.has(name)) return text
      if (before === 'var ') return lazily(name)
      return before === 'new ' ? `new (${name}()${after})` : `${name}()${after}`
    },
  )
  const exported = [...listed.matchAll(/^ {2}(\w+): \(\) => (\w+)(?:\.(\w+))?,?$/gm)].map(
    ([, name, local, property]) =>
      property === undefined
        ? `export { ${local} as ${name} }`
        : `export { ${property} as ${name} } from ${JSON.stringify(paths.get(local))}`,
  )
  return [...kept, uses, ...exported].join('\n')
}
