/**
 * What an import has done, so that it can go on where it was interrupted: a line for each item, with a hash of it and of where it
 * went. A file of its own beside the source; it holds nothing of the items themselves. A later export of the same conversations
 * sends only what is new in it.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

export interface ImportState {
  readonly path: string
  /** Of earlier runs to the same destination. */
  has(key: string): boolean
  add(key: string): void
  close(): Promise<void>
}

const lineLength = 32

export function statePathOf(source: string): string {
  return `${resolve(source)}.keepsake-import`
}

/** `destination`: service, user and project. The same items may go to several. */
export async function openState(path: string, destination: string): Promise<ImportState> {
  const text = await textIn(path)
  // A line that a crash cut is as if it had not been written: its item is sent again, and known again.
  const done = new Set(text.split('\n').filter((line) => line.length === lineLength))
  const file = await open(path, 'a', 0o600)
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')
  const lineOf = (key: string) =>
    createHash('sha256').update(`${destination}\n${key}`).digest('hex').slice(0, lineLength)
  let writing: Promise<unknown> = Promise.resolve()
  let failure: unknown
  return {
    path,
    has: (key) => done.has(lineOf(key)),
    add(key) {
      const line = lineOf(key)
      if (done.has(line)) return
      done.add(line)
      writing = writing.then(() => append(file, line)).catch((error: unknown) => (failure ??= error))
    },
    async close() {
      await writing
      await file.close()
      if (failure !== undefined) throw failure
    },
  }
}

async function append(file: FileHandle, line: string): Promise<void> {
  await file.appendFile(`${line}\n`)
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
