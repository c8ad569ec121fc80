import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Packed, zipOf } from './zip.fixture.js'
import { type ZipLimits, zipEntries } from './zip.js'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-zip-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const limits: ZipLimits = { entries: 3, fileBytes: 1_000, totalBytes: 1_500, ratio: 10, ratioFromBytes: 500 }

/** Reads every file twice, as an import does. */
async function readAll(bytes: Buffer): Promise<string[]> {
  const path = join(directory, 'a.zip')
  writeFileSync(path, bytes)
  const texts: string[] = []
  for (const { read } of await zipEntries(path, limits)) {
    for await (const _ of read());
    const chunks: Uint8Array[] = []
    for await (const chunk of read()) chunks.push(chunk)
    texts.push(Buffer.concat(chunks).toString())
  }
  return texts
}

/** Text that hardly compresses. */
function random(length: number): string {
  let text = ''
  for (let at = 0; text.length < length; at += 1) text += createHash('sha256').update(String(at)).digest('base64')
  return text.slice(0, length)
}

describe('a ZIP archive', () => {
  it('within the limits is read, also stored files, wide sizes, folders and backslashes', async () => {
    const files: Packed[] = [
      { name: 'folder/', text: '', stored: true },
      { name: 'a\\b.txt', text: random(600), stored: true },
      { name: 'c.txt', text: random(700), wide: true },
    ]
    expect(await readAll(zipOf(files))).toEqual([random(600), random(700)])
  })

  it.each([
    ['too many files', ['1', '2', '3', '4'].map((name) => ({ name, text: 'x' })), 'more than 3 files'],
    ['a file that is too large', [{ name: 'a', text: random(1_001), stored: true }], 'a file of more than'],
    ['too much text', ['1', '2'].map((name) => ({ name, text: random(900), stored: true })), 'of text'],
    ['a file that explodes', [{ name: 'a', text: 'x'.repeat(900) }], 'grows suspiciously'],
  ])('is refused with %s', async (_what, files, mention) => {
    await expect(readAll(zipOf(files))).rejects.toThrow(mention)
  })

  it('is refused if its files share their bytes', async () => {
    const bytes = zipOf([{ name: 'aa', text: random(400), stored: true }])
    // A second entry of the directory for the same bytes.
    const start = bytes.indexOf('PK\x01\x02', 0, 'latin1')
    const end = bytes.indexOf('PK\x05\x06', 0, 'latin1')
    const entry = bytes.subarray(start, end)
    const tail = Buffer.from(bytes.subarray(end))
    tail.writeUInt16LE(3, 8)
    tail.writeUInt16LE(3, 10)
    tail.writeUInt32LE(entry.length * 3, 12)
    await expect(readAll(Buffer.concat([bytes.subarray(0, start), entry, entry, entry, tail]))).rejects.toThrow(
      'damaged',
    )
  })

  it('keeps the error of the file system if the file is gone', async () => {
    await expect(zipEntries(join(directory, 'gone.zip'))).rejects.toThrow('ENOENT')
  })
})
