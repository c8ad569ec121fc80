/** Reads the data folder: JSON Lines, gzipped or not. */
import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

/** A task whose files do not exist is skipped and does not fail: the data can't be shipped. */
export class MissingData extends Error {
  override readonly name = 'MissingData'
}

/** @throws MissingData if the file does not exist. */
export async function* readRows<T extends object>(
  directory: string,
  name: string,
  fields: readonly (keyof T & string)[],
): AsyncGenerator<T> {
  let line = 0
  for await (const text of readLines(await pathOf(join(directory, `${name}.jsonl`)))) {
    line += 1
    const row: unknown = JSON.parse(text)
    const missing = fields.find((field) => typeof row !== 'object' || row === null || !(field in row))
    if (missing !== undefined) throw new Error(`${name}.jsonl, line ${line}: the field "${missing}" is missing`)
    // The fields exist; their types are the data's responsibility.
    yield row as T
  }
}

/** Without empty lines; decompressed if the name ends with `.gz`. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const stream = openFile(path)
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  let failure: Error | undefined
  // The line reader does not forward errors, and a truncated file must not look like a complete one.
  stream.once('error', (error: Error) => {
    failure = error
    lines.close()
  })
  for await (const line of lines) if (line !== '') yield line
  if (failure) throw failure
}

export async function allRows<T extends object>(
  directory: string,
  name: string,
  fields: readonly (keyof T & string)[],
): Promise<T[]> {
  const rows: T[] = []
  for await (const row of readRows<T>(directory, name, fields)) rows.push(row)
  return rows
}

async function pathOf(path: string): Promise<string> {
  if (await exists(`${path}.gz`)) return `${path}.gz`
  if (await exists(path)) return path
  throw new MissingData(`${path}.gz does not exist`)
}

function openFile(path: string): NodeJS.ReadableStream {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  const plain = createGunzip()
  // `pipe` does not forward errors, and a read that never ends would hang the run.
  file.once('error', (error) => plain.destroy(error))
  return file.pipe(plain)
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
