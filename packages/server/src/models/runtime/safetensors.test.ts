import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSafetensors } from './safetensors.js'

describe('reading safetensors', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-safetensors-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  async function fileOf(header: string, data = Buffer.alloc(4), headerBytes = Buffer.byteLength(header)) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(headerBytes))
    const path = join(directory, 'file')
    await writeFile(path, Buffer.concat([length, Buffer.from(header), data]))
    return path
  }

  it('finds each tensor in the file', async () => {
    const header = '{"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}}'
    const path = await fileOf(header)
    const { tensors } = await readSafetensors(path)
    expect([...tensors]).toEqual([
      ['a', { path, type: 'F16', shape: [1, 2], offset: 8 + header.length, byteLength: 4 }],
    ])
  })

  it.each([
    ['a range outside the file', '{"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}}', /tensor a lies outside/],
    ['a range that runs backwards', '{"a":{"dtype":"F16","shape":[4],"data_offsets":[4,0]}}', /tensor a lies outside/],
    ['an entry without a type', '{"a":{"shape":[4],"data_offsets":[0,4]}}', /tensor a is malformed/],
    ['an invalid shape', '{"a":{"dtype":"F16","shape":"4","data_offsets":[0,4]}}', /tensor a is malformed/],
    ['broken JSON', '{"a":', /not valid safetensors/],
  ])('refuses %s', async (_, header, message) => {
    await expect(readSafetensors(await fileOf(header))).rejects.toThrow(message)
  })

  it('rejects a header that is longer than the file, and an empty file', async () => {
    await expect(readSafetensors(await fileOf('{}', Buffer.alloc(0), 1_000))).rejects.toThrow(/longer than the file/)
    await writeFile(join(directory, 'empty'), '')
    await expect(readSafetensors(join(directory, 'empty'))).rejects.toThrow(/is truncated/)
  })
})
