/**
 * Records which items an import has stored, so that an interrupted import can continue. The state is a file beside the source with
 * one line per item: a hash of the item and its destination, and nothing of its content. When a later export of the same
 * conversations is imported, only new items are sent.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

export interface ImportState {
  readonly path: string
  /** Whether an earlier run stored the item at the same destination. */
  has(key: string): boolean
  add(key: string): void
  close(): Promise<void>
}

const lineLength = 32

export function statePathOf(source: string): string {
  return `${resolve(source)}.keepsake-import`
}

/** `destination` is the service and the user. The same items may go to several. */
export async function openState(path: string, destination: string): Promise<ImportState> {
  const text = await textIn(path)
  // A line cut off by a crash is ignored: its item is sent again, and its idempotency key keeps it from being stored twice.
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
