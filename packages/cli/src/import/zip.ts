/**
 * Reads a ZIP archive: its central directory, then single files as streams. Follows PKWARE's APPNOTE.TXT 6.3, including ZIP64, for
 * stored and deflated files. Nothing is written to disk, so paths in an archive can do no harm.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import { SourceError } from './item.js'

export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
}

const endSize = 22
const [endSignature, end64Signature, locatorSignature] = [0x06054b50, 0x06064b50, 0x07064b50]
const [entrySignature, localSignature] = [0x02014b50, 0x04034b50]
const mostDirectoryBytes = 64 * 1024 * 1024

export async function zipEntries(path: string): Promise<ZipEntry[]> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { offset, length } = await directoryOf(file, size)
    if (offset + length > size || length > mostDirectoryBytes) throw broken()
    return entriesIn(await bytesAt(file, offset, length), path)
  } finally {
    await file.close()
  }
}

function broken(): SourceError {
  return new SourceError('the ZIP archive is damaged or incomplete')
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, offset)
  if (bytesRead !== length) throw broken()
  return buffer
}

/** The end record has the location of the directory. Only a comment may follow it. */
async function directoryOf(file: FileHandle, size: number): Promise<{ offset: number; length: number }> {
  const tailSize = Math.min(size, endSize + 0xffff)
  const tail = await bytesAt(file, size - tailSize, tailSize)
  let at = tailSize - endSize
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at -= 1
  if (at < 0) throw broken()
  const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (offset !== 0xffffffff && length !== 0xffffffff) return { offset, length }
  if (at < 20 || tail.readUInt32LE(at - 20) !== locatorSignature) throw broken()
  const record = await bytesAt(file, wholeNumber(tail, at - 20 + 8), 56)
  if (record.readUInt32LE(0) !== end64Signature) throw broken()
  return { offset: wholeNumber(record, 48), length: wholeNumber(record, 40) }
}

function wholeNumber(buffer: Buffer, at: number): number {
  if (at + 8 > buffer.length) throw broken()
  const value = Number(buffer.readBigUInt64LE(at))
  if (!Number.isSafeInteger(value)) throw broken()
  return value
}

function entriesIn(directory: Buffer, path: string): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entrySignature) break
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field))
    const extraAt = at + 46 + (nameLength ?? 0)
    const next = extraAt + (extraLength ?? 0) + (commentLength ?? 0)
    if (next > directory.length) throw broken()
    const name = directory.toString('utf8', at + 46, extraAt)
    const header = {
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      ...sizesOf(directory, at, directory.subarray(extraAt, extraAt + (extraLength ?? 0))),
    }
    if (!name.endsWith('/')) entries.push({ name, bytes: header.bytes, read: () => contentOf(path, name, header) })
    at = next
  }
  return entries
}

/** Values that need more than 32 bits are in an extra field. It contains only those values, in this order. */
function sizesOf(directory: Buffer, at: number, extra: Buffer): { bytes: number; packed: number; offset: number } {
  const short = [directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)]
  let wide: Buffer | undefined
  for (let field = 0; field + 4 <= extra.length; field += 4 + extra.readUInt16LE(field + 2)) {
    if (extra.readUInt16LE(field) === 1) wide = extra.subarray(field + 4, field + 4 + extra.readUInt16LE(field + 2))
  }
  let from = 0
  const [bytes = 0, packed = 0, offset = 0] = short.map((value) => {
    if (value !== 0xffffffff || wide === undefined) return value
    from += 8
    return wholeNumber(wide, from - 8)
  })
  return { bytes, packed, offset }
}

interface Header {
  readonly flags: number
  readonly method: number
  readonly bytes: number
  readonly packed: number
  readonly offset: number
}

async function* contentOf(path: string, name: string, header: Header): AsyncGenerator<Uint8Array> {
  if ((header.flags & 1) === 1) throw new SourceError(`${name} is encrypted: unpack the archive first`)
  if (header.method !== 0 && header.method !== 8)
    throw new SourceError(`${name} uses an unsupported compression method`)
  const start = await dataStart(path, header.offset)
  if (header.packed === 0) return
  const packed = createReadStream(path, { start, end: start + header.packed - 1 })
  const content = header.method === 0 ? packed : packed.pipe(createInflateRaw())
  // `pipe` does not forward errors of the file.
  packed.on('error', (error) => content.destroy(error))
  let bytes = 0
  try {
    for await (const chunk of content) {
      bytes += chunk.length
      // Never more than the declared size: this stops ZIP bombs.
      if (bytes > header.bytes) throw broken()
      yield chunk
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_') ? broken() : error
  } finally {
    packed.destroy()
  }
  if (bytes !== header.bytes) throw broken()
}

/** The data starts after the local header, whose extra fields may be longer than those in the directory. */
async function dataStart(path: string, offset: number): Promise<number> {
  const file = await open(path)
  try {
    const local = await bytesAt(file, offset, 30)
    if (local.readUInt32LE(0) !== localSignature) throw broken()
    return offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
  } finally {
    await file.close()
  }
}
