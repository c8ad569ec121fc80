/** Where an archive is written: a file that gets its final name once it is complete and on disk, or a stream at the pace of its reader. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Output, UsageError } from '../command.js'

export interface ArchiveOutput {
  write(text: string): Promise<void>
  /** Completes the archive. */
  finish(): Promise<void>
  /** Removes an incomplete archive. */
  discard(): Promise<void>
}

const writeAtOnce = 2 ** 18

export async function fileOutput(path: string): Promise<ArchiveOutput> {
  if (existsSync(path)) throw new UsageError(`${path} already exists, and an archive is never overwritten`)
  const part = `${path}.${randomUUID()}.part`
  // Readable only by this user, because it contains the contents of the store.
  const file = await open(part, 'wx', 0o600)
  let waiting: string[] = []
  let characters = 0
  const flush = async () => {
    const text = waiting.join('')
    waiting = []
    characters = 0
    await file.writeFile(text)
  }
  return {
    async write(text) {
      waiting.push(text)
      characters += text.length
      if (characters >= writeAtOnce) await flush()
    },
    async finish() {
      await flush()
      await file.sync()
      await file.close()
      await rename(part, path)
      if (process.platform !== 'win32') await syncDirectory(dirname(path))
    },
    async discard() {
      await file.close()
      await rm(part, { force: true })
    },
  }
}

/** Makes sure that the new name is on disk too. */
async function syncDirectory(path: string): Promise<void> {
  let directory: FileHandle | undefined
  try {
    directory = await open(path, 'r')
    await directory.sync()
  } finally {
    await directory?.close()
  }
}

export function streamOutput(stream: Output): ArchiveOutput {
  return {
    async write(text) {
      if (stream.write(text) !== false || stream.once === undefined) return
      await new Promise<void>((resolve) => stream.once?.('drain', resolve))
    },
    finish: async () => undefined,
    discard: async () => undefined,
  }
}
