/**
 * Reads the header of a safetensors file: eight bytes of length, then JSON with each tensor's type, shape and byte
 * range. The tensors themselves stay in the file.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

interface SafeTensor {
  readonly path: string
  readonly type: string
  readonly shape: readonly number[]
  /** From the start of the file. */
  readonly offset: number
  readonly byteLength: number
}

export interface Safetensors {
  readonly path: string
  /** All files of the tensors are below it. */
  readonly folder: string
  readonly tensors: ReadonlyMap<string, SafeTensor>
}

/** Ours has 11 KB; anything beyond this limit is not a header. */
const maxHeaderBytes = 16_000_000

export async function readSafetensors(path: string): Promise<Safetensors> {
  const file = await open(path)
  try {
    const fileBytes = (await file.stat()).size
    const lengthBytes = await readExactly(file, 8, 0)
    const headerBytes = Number(lengthBytes.readBigUInt64LE(0))
    const dataStart = 8 + headerBytes
    if (headerBytes > maxHeaderBytes || dataStart > fileBytes) throw new Error('its header is longer than the file')
    // Checked below, entry by entry.
    const header = JSON.parse((await readExactly(file, headerBytes, 8)).toString('utf8')) as Record<string, unknown>
    const tensors = new Map<string, SafeTensor>()
    for (const [name, entry] of Object.entries(header)) {
      if (name !== '__metadata__') tensors.set(name, { path, ...readEntry(name, entry, dataStart, fileBytes) })
    }
    return { path, folder: dirname(path), tensors }
  } catch (error) {
    throw new Error(`${path} is not valid safetensors: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await file.close()
  }
}

/** The tensors of a file, and from another one the tensors whose names start with `shared`, under `prefix` and their name. */
export function withShared(own: Safetensors, other: Safetensors, prefix: string, shared: string): Safetensors {
  const tensors = new Map(own.tensors)
  for (const [name, tensor] of other.tensors) if (name.startsWith(shared)) tensors.set(prefix + name, tensor)
  return { path: own.path, folder: commonFolder(own.folder, other.folder), tensors }
}

function commonFolder(one: string, other: string): string {
  let folder = one
  while (!join(other, sep).startsWith(join(folder, sep))) folder = dirname(folder)
  return folder
}

async function readExactly(file: FileHandle, byteLength: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(byteLength), 0, byteLength, position)
  if (bytesRead < byteLength) throw new Error('the file is truncated')
  return buffer
}

function readEntry(name: string, entry: unknown, dataStart: number, fileBytes: number): Omit<SafeTensor, 'path'> {
  // Every field is checked before it is used.
  const { dtype, shape, data_offsets: range } = (entry ?? {}) as Record<string, unknown>
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(range)) {
    throw new Error(`the entry of tensor ${name} is malformed`)
  }
  const [start = 0, end = -1] = range
  if (start > end || dataStart + end > fileBytes) throw new Error(`tensor ${name} lies outside the file`)
  return { type: dtype, shape, offset: dataStart + start, byteLength: end - start }
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
}
