/** Finds where the chain of an existing log stands, reading it from its end. */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readLine } from './audit-chain.js'

export interface AuditTail {
  /** Undefined where the file has no whole line. */
  readonly lastHash: string | undefined
  /** False where the last line lacks its line feed. */
  readonly endsWithLineFeed: boolean
  /** Lines at the end that are not whole: a crash cut them. */
  readonly torn: readonly string[]
}

const chunkBytes = 64 * 1024
/** Every line of ours begins so: the check keeps us from appending to a file that is something else. */
const lineFront = '{"time":"'

export async function readAuditTail(file: FileHandle): Promise<AuditTail> {
  const { size } = await file.stat()
  if (size === 0) return { lastHash: undefined, endsWithLineFeed: true, torn: [] }
  const front = await readAt(file, 0, Math.min(size, lineFront.length))
  if (!lineFront.startsWith(front)) throw new Error('it holds something else than an audit log')
  const endsWithLineFeed = (await readAt(file, size - 1, 1)) === '\n'
  const torn: string[] = []
  for await (const text of linesBackwards(file, endsWithLineFeed ? size - 1 : size)) {
    const line = readLine(text)
    if (line.kind === 'whole') return { lastHash: line.hash, endsWithLineFeed, torn }
    torn.unshift(text)
  }
  return { lastHash: undefined, endsWithLineFeed, torn }
}

/**
 * The tail of the file that the log at `path` was rotated to last: the one beside it that begins with its name, holds audit
 * lines and was written last. For a start that finds the log empty or gone, because a rotation was interrupted.
 */
export async function readRotatedTail(path: string): Promise<AuditTail | undefined> {
  const name = basename(path)
  const found: { readonly writtenMs: number; readonly name: string; readonly tail: AuditTail }[] = []
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    if (!entry.isFile() || !(entry.name.startsWith(`${name}.`) || entry.name.startsWith(`${name}-`))) continue
    const tail = await tailOf(join(dirname(path), entry.name))
    if (tail) found.push({ ...tail, name: entry.name })
  }
  found.sort((a, b) => a.writtenMs - b.writtenMs || (a.name < b.name ? -1 : 1))
  return found.at(-1)?.tail
}

/** Undefined for what holds no audit line (a compressed file, someone's notes) or may not be read. */
async function tailOf(path: string): Promise<{ readonly writtenMs: number; readonly tail: AuditTail } | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const tail = await readAuditTail(file)
    return tail.lastHash === undefined ? undefined : { writtenMs: (await file.stat()).mtimeMs, tail }
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

/** The lines before byte `end`, the last one first. */
async function* linesBackwards(file: FileHandle, end: number): AsyncGenerator<string> {
  let position = end
  const pieces: string[] = []
  while (position > 0) {
    const length = Math.min(chunkBytes, position)
    position -= length
    const [first = '', ...rest] = (await readAt(file, position, length)).split('\n')
    for (const piece of rest.reverse()) {
      pieces.unshift(piece)
      yield pieces.splice(0).join('')
    }
    pieces.unshift(first)
  }
  yield pieces.join('')
}

/** One character a byte: our lines are ASCII, and damage must not throw. */
async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead !== length) throw new Error('it changed while it was read')
  return buffer.toString('latin1')
}
