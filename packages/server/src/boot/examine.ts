/** Inspects a service that is not running: its model files and its data directory. Changes nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkModelFile,
  checkModelFiles,
  type LocalModel,
  readGuardModel,
  readLocalModel,
  readWeightsModel,
  type WeightsModel,
} from '../models/runtime/model-files.js'
import { DataDirectoryInUse, lockDirectory } from '../storage/sqlite/directory-lock.js'
import { type Examined, examine } from '../storage/sqlite/examine.js'

export interface ModelReport {
  readonly name: string
  /** One line that says how to fix it; undefined if all files exist and have the right checksums. */
  readonly problem: string | undefined
}

const models: readonly (readonly [name: string, read: () => Promise<LocalModel | WeightsModel>])[] = [
  ['embedder', () => readLocalModel('embedder', 'keepsake-embed')],
  ['reranker', () => readLocalModel('reranker', 'keepsake-rerank')],
  ['judge', () => readLocalModel('judge', 'keepsake-judge')],
  ['tagger', () => readLocalModel('tagger', 'keepsake-tag')],
  ['names', () => readLocalModel('tagger', 'keepsake-names')],
  ['guard', () => readGuardModel()],
  ['guard of other languages', () => readGuardModel(undefined, 'keepsake-guard-languages')],
  ['profile', () => readWeightsModel('keepsake-profile', 'profile')],
]

export async function examineModels(): Promise<ModelReport[]> {
  return Promise.all(models.map(async ([name, read]) => ({ name, problem: await problemOf(read) })))
}

async function problemOf(read: () => Promise<LocalModel | WeightsModel>): Promise<string | undefined> {
  try {
    const model = await read()
    await ('tokenizer' in model ? checkModelFiles(model) : checkModelFile(model.weights))
    return undefined
  } catch (error) {
    if (error instanceof Error && 'operatorMessage' in error) return error.message
    throw error
  }
}

/** A message about the service that uses the directory now; undefined if there is none. */
export function directoryHolder(dataDir: string): string | undefined {
  // Only if a service has run there: an inspection must leave no files behind.
  if (!existsSync(join(dataDir, 'keepsake.lock'))) return undefined
  try {
    lockDirectory(dataDir).release()
    return undefined
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return error.message
    throw error
  }
}

/** Undefined if there is no store yet. For a file that is not a database, the verdict is the error message. */
export function examineStore(dataDir: string): Examined | undefined {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) return undefined
  try {
    return examine(path)
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error
    return { integrity: error.message, users: 0, memories: 0, versions: 0, mismatches: 0 }
  }
}
