/** Finds where the chain of an existing log stands, reading it from its end. */
import type { FileHandle } from 'node:fs/promises'
import { firstPrevHash, readLine, tornHash } from './audit-chain.js'

export interface AuditTail {
  readonly lastHash: string
  /** False where the last line lacks its line feed. */
  readonly endsWithLineFeed: boolean
  /** Lines at the end that are not whole: a crash cut them. */
  readonly torn: { readonly lines: number; readonly sha256: string } | undefined
}

const chunkBytes = 64 * 1024
/** Every line of ours begins so: the check keeps us from appending to a file that is something else. */
const lineFront = '{"time":"'

export async function readAuditTail(file: FileHandle): Promise<AuditTail> {
  const { size } = await file.stat()
  if (size === 0) return { lastHash: firstPrevHash, endsWithLineFeed: true, torn: undefined }
  const front = await readAt(file, 0, Math.min(size, lineFront.length))
  if (!lineFront.startsWith(front)) throw new Error('it holds something else than an audit log')
  const endsWithLineFeed = (await readAt(file, size - 1, 1)) === '\n'
  const torn: string[] = []
  for await (const text of linesBackwards(file, endsWithLineFeed ? size - 1 : size)) {
    const line = readLine(text)
    if (line.kind === 'whole') return { lastHash: line.hash, endsWithLineFeed, torn: summary(torn) }
    torn.unshift(text)
  }
  return { lastHash: firstPrevHash, endsWithLineFeed, torn: summary(torn) }
}

function summary(torn: readonly string[]): AuditTail['torn'] {
  return torn.length === 0 ? undefined : { lines: torn.length, sha256: tornHash(torn) }
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
