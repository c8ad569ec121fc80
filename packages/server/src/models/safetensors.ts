/**
 * Reads the safetensors container: eight bytes of header length, a JSON header that gives each
 * tensor's type, shape and byte range, then the bytes. Ranges are views on the file's buffer.
 */
export interface SafeTensor {
  readonly type: string
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

export function readSafetensors(file: Uint8Array): ReadonlyMap<string, SafeTensor> {
  if (file.byteLength < 8) throw new Error('the file is too short to be safetensors')
  const headerLength = Number(new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true))
  const dataStart = 8 + headerLength
  if (dataStart > file.byteLength) throw new Error('the header is longer than the file')
  // The shape is checked below, entry by entry.
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, dataStart))) as Record<string, unknown>
  const tensors = new Map<string, SafeTensor>()
  for (const [name, entry] of Object.entries(header)) {
    if (name !== '__metadata__') tensors.set(name, readEntry(name, entry, file.subarray(dataStart)))
  }
  return tensors
}

function readEntry(name: string, entry: unknown, data: Uint8Array): SafeTensor {
  // Every field is checked before it is used.
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets)) {
    throw new Error(`the entry of tensor ${name} is not valid`)
  }
  const [start = 0, end = -1] = offsets
  if (start > end || end > data.byteLength) throw new Error(`the bytes of tensor ${name} lie outside the file`)
  return { type: dtype, shape, bytes: data.subarray(start, end) }
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
}
