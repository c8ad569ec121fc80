import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPortableReader } from '@keepsake/server/portable'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fillStore, recordsOf, testIo } from '../archive/records.fixture.js'
import { main } from '../main.js'
import { importArchive } from './archive.js'
import { readMarkdown } from './markdown.js'

/** Right-to-left text with its control characters, composed and decomposed accents, wide and half-width forms, joined letters. */
const texts = [
  'أنا أسكن في عمّان. \u200f42\u200f (Acme)',
  'בית \u2067x\u2069 שלום \u202eabc\u202c',
  'e\u0301te\u0301 and \u00e9t\u00e9, \ufb01n, \u212b',
  '我住在上海。ｶﾅ　全角',
  'ฉันอยู่ที่เชียงใหม่',
  'नमस्ते क\u094d\u200dष',
  '한국어 \u1112\u1161\u11ab',
]

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-scripts-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

async function contentsIn(dataDir: string): Promise<string[]> {
  const reader = await openPortableReader({ dataDir })
  const found: string[] = []
  for await (const record of reader.read({ vectors: false, keys: false }))
    if (record.record === 'version') found.push(record.content)
  await reader.close()
  return found
}

it('an archive keeps every character of any script, through export, import and export', async () => {
  const [source, copy] = [join(directory, 'source'), join(directory, 'copy')]
  const [first, second] = [join(directory, 'first.jsonl'), join(directory, 'second.jsonl')]
  await fillStore(source, recordsOf('ليلى', texts))
  expect(await main(['export', '--vectors', '--data-dir', source, first], testIo().io)).toBe(0)
  await importArchive({ path: first, target: { dataDir: copy } })
  expect(await contentsIn(copy)).toEqual(texts)
  expect(await main(['export', '--vectors', '--data-dir', copy, second], testIo().io)).toBe(0)
  const body = (path: string) => readFileSync(path, 'utf8').split('\n').slice(1)
  expect(body(second)).toEqual(body(first))
})

it('a Markdown note keeps every character of any script', () => {
  for (const text of texts) {
    const [item] = [...readMarkdown({ name: 'note.md', text }, { nowMs: 0, fileTimes: false })]
    expect(item).toMatchObject({ kind: 'item', text: `# note\n${text}` })
  }
})
