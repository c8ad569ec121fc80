/** Finds the end of the chain in an existing log, reading backwards. */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readLine } from './audit-chain.js'

export interface AuditTail {
  /** Undefined if the file has no complete line. */
  readonly lastHash: string | undefined
  /** False if the last line has no line feed. */
  readonly endsWithLineFeed: boolean
  /** Incomplete lines at the end: a crash cut them. */
  readonly torn: readonly string[]
}

const chunkBytes = 64 * 1024
/** Every audit line begins like this: the check prevents appending to any other kind of file. */
const lineFront = '{"time":"'

export async function readAuditTail(file: FileHandle): Promise<AuditTail> {
  const { size } = await file.stat()
  if (size === 0) return { lastHash: undefined, endsWithLineFeed: true, torn: [] }
  const front = await readAt(file, 0, Math.min(size, lineFront.length))
  if (!lineFront.startsWith(front)) throw new Error('the file is not an audit log')
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
 * The tail of the file that the log at `path` was last rotated to: the most recently written one next to it whose name begins
 * with its name and that contains audit lines. Used when a start finds the log empty or missing after an interrupted rotation.
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

/** Undefined for a file without audit lines (a compressed file, someone's notes), or one that may not be read. */
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

/** The lines before byte `end`, last one first. */
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

/** One character per byte: audit lines are ASCII, and damaged ones must not throw. */
async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead !== length) throw new Error('the file changed while it was being read')
  return buffer.toString('latin1')
}
