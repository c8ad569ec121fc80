/** Builds ZIP archives for tests byte by byte, including ones that no library would write. */
import { deflateRawSync } from 'node:zlib'

export interface Packed {
  readonly name: string
  readonly text: string
  readonly stored?: boolean
  /** Puts sizes and offsets into the ZIP64 fields. */
  readonly wide?: boolean
  readonly encrypted?: boolean
  /** A false size. */
  readonly claimedBytes?: number
}

export function zipOf(files: readonly Packed[], comment = ''): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const file of files) {
    const name = Buffer.from(file.name)
    const plain = Buffer.from(file.text)
    const data = file.stored ? plain : deflateRawSync(plain)
    const bytes = file.claimedBytes ?? plain.length
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(file.encrypted ? 1 : 0, 2)
    fields.writeUInt16LE(file.stored ? 0 : 8, 4)
    fields.writeUInt32LE(file.wide ? 0xffffffff : data.length, 14)
    fields.writeUInt32LE(file.wide ? 0xffffffff : bytes, 18)
    fields.writeUInt16LE(name.length, 22)
    const extra = file.wide ? wideExtra(bytes, data.length, offset) : Buffer.alloc(0)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(file.wide ? 0xffffffff : offset, 10)
    const central = Buffer.concat([number32(0x02014b50), number16(20), fields, rest, name, extra])
    central.writeUInt16LE(extra.length, 30)
    directory.push(central)
    // The local header has fewer extra fields, as many ZIP programs write it.
    const local = Buffer.concat([number32(0x04034b50), fields, name, data])
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(Buffer.byteLength(comment), 20)
  return Buffer.concat([...parts, central, end, Buffer.from(comment)])
}

function wideExtra(bytes: number, packed: number, offset: number): Buffer {
  const extra = Buffer.alloc(28)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(24, 2)
  for (const [at, value] of [bytes, packed, offset].entries()) extra.writeBigUInt64LE(BigInt(value), 4 + at * 8)
  return extra
}

function number16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}

function number32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
