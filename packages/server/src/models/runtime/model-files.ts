/**
 * The models that ship with the service: `models/<name>/model.json`, at the repository root or in the published package, describes a
 * model and lists its files. A missing, truncated or changed file is rejected with a one-line message that names it.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export type ModelKind = 'embedder' | 'reranker' | 'tagger' | 'judge'

export interface ModelFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface LocalModel {
  /** Stored with each of its vectors. */
  readonly id: string
  readonly kind: ModelKind
  /** Number of values per text. */
  readonly dimensions: number
  /** Maximum number of tokens it reads of a text, or of a query and a text together. */
  readonly maxTokens: number
  readonly weights: ModelFile
  readonly tokenizer: ModelFile
  /** The weights file whose word table the model shares; without it the model has its own. */
  readonly words?: ModelFile
}

/** The message is one line for the operator, who alone can fix the problem. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError'
  readonly operatorMessage = true
  constructor(path: string, problem: string) {
    const isInstalled = path.split(sep).includes('node_modules')
    const remedy = isInstalled
      ? 'install the package again with npm'
      : '"git checkout -- models" brings it back, or clone again'
    super(`The model file ${path} ${problem}; ${remedy}`)
  }
}

const inPackage = fileURLToPath(new URL('../../../models/', import.meta.url))
/** The published package contains the models. In a clone they are five folders up from `packages/server/{src,dist}/models/runtime`. */
const modelsDirectory = existsSync(inPackage)
  ? inPackage
  : fileURLToPath(new URL('../../../../../models/', import.meta.url))

/** Reads a model from `models/` by name, or from a given directory. */
export function readLocalModel(kind: ModelKind, name: string, directory?: string): Promise<LocalModel> {
  return readManifest(name, directory, (manifest, folder) => parseModel(manifest, kind, folder))
}

/** A model that has only weights: no tokenizer and no vectors. */
export interface WeightsModel {
  readonly id: string
  readonly weights: ModelFile
}

/** For English, or for other languages. */
export function readGuardModel(
  directory?: string,
  name: 'keepsake-guard' | 'keepsake-guard-languages' = 'keepsake-guard',
): Promise<WeightsModel> {
  return readWeightsModel(name, 'guard', directory)
}

export function readWeightsModel(
  name: string,
  kind: 'guard' | 'profile' | 'worth',
  directory?: string,
): Promise<WeightsModel> {
  return readManifest(name, directory, (manifest, folder) => ({
    id: idOf(manifest, kind),
    weights: fileOf(manifest, 'weights', folder),
  }))
}

async function readManifest<Model>(
  name: string,
  directory: string | undefined,
  parse: (manifest: Readonly<Record<string, unknown>>, folder: string) => Model,
): Promise<Model> {
  const folder = directory ?? join(modelsDirectory, name)
  const path = join(folder, 'model.json')
  const text = await readFile(path, 'utf8').catch((error) => {
    throw unreadable(path, error)
  })
  try {
    // Every field is checked before it is used.
    return parse((JSON.parse(text) ?? {}) as Record<string, unknown>, folder)
  } catch (error) {
    throw new ModelFileError(path, `is damaged (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** What this process has verified: models share a word table, whose checksum takes 0.1 s. */
const verified = new Set<string>()

/** For another thread of this process. */
export function verifiedFiles(): readonly string[] {
  return [...verified]
}

/** From another thread of this process. */
export function addVerifiedFiles(files: readonly string[]): void {
  for (const file of files) verified.add(file)
}

export async function checkModelFiles(model: LocalModel): Promise<void> {
  for (const file of filesOf(model)) await checkModelFile(file)
}

/** A start only looks at the sizes; the thread verifies the checksums before it loads the model. */
export async function checkModelSizes(model: LocalModel): Promise<void> {
  await Promise.all(filesOf(model).map(checkModelSize))
}

function filesOf({ weights, tokenizer, words }: LocalModel): ModelFile[] {
  return words ? [weights, tokenizer, words] : [weights, tokenizer]
}

/** Checks the size first, then the checksum in chunks, so that the weights do not stay in memory. Once, until the file is written to. */
export async function checkModelFile(file: ModelFile): Promise<void> {
  const state = await checkModelSize(file)
  if (verified.has(state)) return
  const handle = await open(file.path).catch((error) => {
    throw unreadable(file.path, error)
  })
  try {
    if ((await sumOf(handle)) !== file.sha256) {
      throw new ModelFileError(file.path, 'is damaged (its SHA-256 is not the one in model.json)')
    }
    verified.add(state)
  } finally {
    await handle.close()
  }
}

/** Missing and truncated files have another size. Returns a text that changes when the file is written to. */
async function checkModelSize(file: ModelFile): Promise<string> {
  const { size, ino, mtimeMs } = await stat(file.path).catch((error) => {
    throw unreadable(file.path, error)
  })
  if (size !== file.bytes) {
    throw new ModelFileError(file.path, `is damaged (it has ${size} bytes, but model.json says ${file.bytes})`)
  }
  return [file.path, file.sha256, ino, mtimeMs].join(' ')
}

async function sumOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  // Small, because the main thread hashes too, and a megabyte takes it up to seven milliseconds.
  const piece = Buffer.allocUnsafe(1 << 17)
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, null)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(piece.subarray(0, bytesRead))
  }
}

function unreadable(path: string, error: NodeJS.ErrnoException): ModelFileError {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return new ModelFileError(path, 'is missing')
  return new ModelFileError(path, `cannot be read (${error.code ?? error.message})`)
}

function idOf(manifest: Readonly<Record<string, unknown>>, kind: string): string {
  if (manifest.kind !== kind) throw new Error(`"kind" is not "${kind}"`)
  if (typeof manifest.id !== 'string' || manifest.id === '') throw new Error('"id" is not a name')
  return manifest.id
}

function parseModel(manifest: Readonly<Record<string, unknown>>, kind: ModelKind, folder: string): LocalModel {
  return {
    id: idOf(manifest, kind),
    kind,
    dimensions: countOf(manifest, 'dimensions'),
    maxTokens: countOf(manifest, 'maxTokens'),
    weights: fileOf(manifest, 'weights', folder),
    tokenizer: fileOf(manifest, 'tokenizer', folder),
    ...(manifest.words === undefined ? {} : { words: fileOf(manifest, 'words', folder) }),
  }
}

function countOf(fields: Readonly<Record<string, unknown>>, name: string, path = name): number {
  const value = fields[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new Error(`"${path}" is not a positive whole number`)
  }
  return value
}

function fileOf(manifest: Readonly<Record<string, unknown>>, name: string, folder: string): ModelFile {
  // Every field is checked before it is used.
  const entry = (manifest[name] ?? {}) as Record<string, unknown>
  if (typeof entry.file !== 'string' || entry.file === '') throw new Error(`"${name}.file" is not a file name`)
  if (typeof entry.sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(entry.sha256)) {
    throw new Error(`"${name}.sha256" is not a SHA-256`)
  }
  return { path: resolve(folder, entry.file), bytes: countOf(entry, 'bytes', `${name}.bytes`), sha256: entry.sha256 }
}
