/** Reads all items of a source, whatever its format, one at a time. */
import type { Detected } from './detect.js'
import { leftOut, NotTextError, type Read, SourceError } from './item.js'
import type { Reader, ReadOptions } from './reader.js'
import { readerOf } from './readers.js'
import type { SourceFile } from './source.js'

/** Called after each file, for progress in bytes. */
export type FileDone = (file: SourceFile) => void

export async function* readSource(
  { format, files, leftOut: skipped = [] }: Detected,
  options: ReadOptions,
  done: FileDone = () => undefined,
): AsyncGenerator<Read> {
  if (format === 'archive') throw new SourceError('it is an archive, which goes directly into the store')
  const reader = readerOf(format)
  await oneUserOnly(reader, files, options)
  yield* skipped
  for (const file of files) {
    try {
      yield* reader.read(file, options)
    } catch (error) {
      // Among many notes, one that is not text does not stop the others. Nothing of it was yielded.
      const isNote = format === 'markdown' || format === 'text' || format === 'obsidian'
      if (error instanceof NotTextError && files.length > 1 && isNote) {
        yield leftOut(file.name, error.message)
        continue
      }
      throw error instanceof SourceError ? new SourceError(`${file.name}: ${error.message}`) : error
    }
    done(file)
  }
}

async function oneUserOnly(reader: Reader, files: readonly SourceFile[], { fromUser }: ReadOptions): Promise<void> {
  if (fromUser !== undefined || reader.users === undefined) return
  const users = new Set<string>()
  for (const file of files) for (const user of await reader.users(file)) users.add(user)
  if (users.size < 2) return
  const some = [...users].slice(0, 3).join(', ')
  throw new SourceError(`it has memories of ${users.size} users (${some}, …): choose one with --from-user`)
}
