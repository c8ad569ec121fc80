/**
 * Loads the program or a thread from the bundle that `bundle.mjs` has built: one file instead of hundreds, with the code that V8
 * compiled in an earlier start. V8 checks that this code is from the same version of V8 with the same flags; the digests in the
 * names and in the file ensure that it belongs to this bundle and is complete.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'
import { skipExpressionBytecode } from '../core/expression-code.js'

interface Manifest {
  /** Digest of the compiler's record of its output. */
  readonly build: string
  /** File by name of the program or thread. */
  readonly files: Readonly<Record<string, string>>
}

export interface BundleOptions {
  /** The compiled service, which contains the bundle. */
  readonly built?: string
  /** After this time the first requests have compiled the functions that the next start will need. */
  readonly saveCodeAfterMs?: number
}

const digestBytes = 32

/** Undefined if there is no bundle, or if the sources were compiled again after it was built. */
export function loadBundled(name: string, options: BundleOptions = {}): unknown {
  const { built = fileURLToPath(new URL('../', import.meta.url)), saveCodeAfterMs = 20_000 } = options
  const text = contentOf(join(built, 'bundle', 'manifest.json'))
  if (text === undefined) return undefined
  // `bundle.mjs` writes it.
  const { build, files } = JSON.parse(text.toString('utf8')) as Manifest
  const record = contentOf(join(built, '.tsbuildinfo'))
  // A published package has no such record: nothing compiles there.
  if (record !== undefined && digestOf(record).toString('hex') !== build) return undefined
  const file = files[name]
  return file === undefined ? undefined : run(join(built, 'bundle'), file, saveCodeAfterMs)
}

function run(folder: string, file: string, saveCodeAfterMs: number): unknown {
  const path = join(folder, file)
  const saved = join(folder, 'code', `${file}.${process.version}-${process.arch}`)
  // `open.ts` sets it too. Here it comes before the code is loaded, because V8 rejects code that it compiled with other flags.
  skipExpressionBytecode()
  const cachedData = savedCode(saved)
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`
  const script = new Script(source, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  if (cachedData === undefined || script.cachedDataRejected) {
    setTimeout(() => saveCode(saved, script), saveCodeAfterMs).unref()
  }
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(path), module, path, folder)
  return module.exports
}

function savedCode(path: string): Buffer | undefined {
  const content = contentOf(path)
  if (content === undefined) return undefined
  const code = content.subarray(digestBytes)
  return digestOf(code).equals(content.subarray(0, digestBytes)) ? code : undefined
}

/** Without a place to save it, as in a read-only installation, every start compiles. */
function saveCode(path: string, script: Script): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const code = script.createCachedData()
  const isSaved = attempt(() => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(temporary, Buffer.concat([digestOf(code), code]), { flag: 'wx' })
    renameSync(temporary, path)
    return true
  })
  if (!isSaved) attempt(() => rmSync(temporary, { force: true }))
}

/** Undefined for a file that is missing or that this user may not read. */
function contentOf(path: string): Buffer | undefined {
  return attempt(() => readFileSync(path))
}

/** Undefined if the system refuses. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
