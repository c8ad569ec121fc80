/**
 * Builds the dashboard into `packages/server/dist/dashboard`, from where the service serves it, with compressed copies of each file.
 * Does nothing if nothing changed, because `npm start` runs it every time.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

const root = fileURLToPath(new URL('.', import.meta.url))
const repository = join(root, '..', '..')
const target = join(root, '..', 'server', 'dist', 'dashboard')
const stampFile = join(target, '.inputs')

const stamp = inputsDigest()
if (lastStamp() !== stamp) {
  // Loaded on demand: loading Vite takes longer than checking all inputs.
  const { build } = await import('vite')
  await build({ root, configFile: join(root, 'vite.config.mjs'), logLevel: 'warn' })
  await Promise.all(filesBelow(target).flatMap((path) => (isCompressed(path) ? [] : [compress(path)])))
  // The licence of the font asks for it.
  copyFileSync(join(root, 'src', 'fonts', 'OFL.txt'), join(target, 'OFL.txt'))
  // Written last, so that an interrupted build runs again.
  writeFileSync(stampFile, stamp)
}

/** Digest of all inputs; the lockfile covers the libraries. */
function inputsDigest() {
  const digest = createHash('sha256').update(process.version)
  const beside = [join(root, '..', 'client', 'src'), join(root, '..', 'cli', 'src', 'demo')]
  const own = ['build.mjs', 'vite.config.mjs', 'index.html', 'package.json'].map((name) => join(root, name))
  const paths = [
    ...own,
    ...filesBelow(join(root, 'src')),
    ...beside.flatMap(filesBelow),
    join(repository, 'package-lock.json'),
  ]
  for (const path of paths.filter((path) => !/\.test\.tsx?$/.test(path)).sort()) {
    digest.update(path.slice(repository.length)).update('\0').update(readFileSync(path)).update('\0')
  }
  return digest.digest('hex')
}

function lastStamp() {
  try {
    return readFileSync(stampFile, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function isCompressed(path) {
  return path.endsWith('.woff2')
}

async function compress(path) {
  const content = readFileSync(path)
  const quality = { params: { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY } }
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, quality))
  writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}
