import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { detect } from './detect.js'
import type { Read } from './item.js'
import { readSource } from './read-source.js'
import { openSource, wholeText } from './source.js'
import { zipOf } from './zip.fixture.js'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-import-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  const path = join(directory, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}
const open = (path: string, input = '') => openSource(path, Readable.from(input === '' ? [] : [Buffer.from(input)]))
const options = { nowMs: Date.parse('2026-06-01T00:00:00Z'), userOnly: false, fileTimes: false }

async function all(reading: AsyncIterable<Read>): Promise<Read[]> {
  const found: Read[] = []
  for await (const each of reading) found.push(each)
  return found
}

async function read(path: string, input?: string) {
  const detected = await detect(await open(path, input))
  const found = await all(readSource(detected, options))
  const texts = found.map((each) => (each.kind === 'item' ? each.text : `left out: ${each.reason}`))
  return { format: detected.format, texts: texts.map((text) => (typeof text === 'string' ? text : text[0]?.content)) }
}

const chatGpt = JSON.stringify(
  [
    {
      title: 'T',
      current_node: 'a',
      mapping: {
        a: {
          parent: null,
          message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hello Rome'] } },
        },
      },
    },
  ],
  null,
  2,
)
const claude = JSON.stringify([{ uuid: 'u', name: 'N', chat_messages: [{ sender: 'human', text: 'Hello Oslo' }] }])
const memories = JSON.stringify([{ conversations_memory: 'Is a nurse', project_memories: {} }])

describe('format detection', () => {
  it.each([
    ['conversations.json', chatGpt, 'chatgpt', ['Hello Rome']],
    ['renamed.txt', claude, 'claude', ['Hello Oslo']],
    ['memories.json', memories, 'claude', ['Is a nurse']],
    ['acct.json', '{"conversations_memory": "Is a nurse",\n "project_memories": {}}', 'claude', ['Is a nurse']],
    ['m.json', '{"results": [{"id": "1", "memory": "Likes tea"}]}', 'mem0', ['Likes tea']],
    ['m.json', '[\n{"memory": "Likes tea"}]', 'mem0', ['Likes tea']],
    ['l.jsonl', '{"content":"One"}\n{"content":"Two"}\n', 'jsonl', ['One', 'Two']],
    ['a.json', '[{"content":"One"},{"content":"Two"}]', 'jsonl', ['One', 'Two']],
    ['note.md', 'Just words', 'markdown', ['# note\nJust words']],
    ['note', '# Title\nWords', 'markdown', ['# note › Title\nWords']],
    ['note.txt', 'Just words', 'text', ['Just words']],
    ['links', '[[Rome]] is far', 'text', ['[[Rome]] is far']],
    ['odd.txt', '[sic] is no JSON', 'text', ['[sic] is no JSON']],
    ['windows.txt', Buffer.from('\ufeffGrüße', 'utf16le'), 'text', ['Grüße']],
  ])('recognises %s by its content', async (name, content, format, texts) => {
    expect(await read(write(name, content))).toEqual({ format, texts })
  })

  it('works for standard input', async () => {
    expect(await read('-', '{"content":"One"}')).toEqual({ format: 'jsonl', texts: ['One'] })
  })

  it.each([
    ['other.json', '[{"a": 1}]', 'unknown format'],
    ['several.json', '[{"memory":"a","user_id":"ana"},{"memory":"b","user_id":"ben"}]', '--from-user'],
    ['cut.json', chatGpt.slice(0, -5), 'it ends in the middle'],
  ])('rejects %s', async (name, content, mention) => {
    await expect(read(write(name, content))).rejects.toThrow(mention)
  })
})

describe('a file that is not text', () => {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(300, 3)])
  const random = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7919 + (at >> 3) * 31) % 256))
  it.each([
    ['a picture', png],
    ['random bytes', random],
    ['text, then bytes', Buffer.concat([Buffer.from('A header in words.\n'.repeat(5)), random])],
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj')],
    ['RTF', Buffer.from('{\\rtf1\\ansi Hello}')],
    ['UTF-16 without a byte order mark', Buffer.from('I like tea in the morning.', 'utf16le')],
    ['German in Latin-1', Buffer.from('Grüße aus Köln, schöne Wünsche für übermorgen.', 'latin1')],
  ])('is refused: %s', async (_what, content) => {
    for (const name of ['notes.txt', 'notes', 'notes.md']) {
      await expect(read(write(name, content))).rejects.toThrow('it is not text in UTF-8')
    }
    const json = { format: 'jsonl' as const, files: (await open(write('notes.jsonl', content))).files }
    await expect(all(readSource(json, options))).rejects.toThrow('it is not text in UTF-8')
  })

  it('is left out among notes, and the others are read', async () => {
    write('vault/a.md', 'I like tea.')
    write('vault/b.md', png)
    write('vault/c.txt', 'I like rain.')
    const { texts } = await read(join(directory, 'vault'))
    expect(texts).toEqual(['# a\nI like tea.', expect.stringMatching(/^left out: it is not text/), 'I like rain.'])
  })

  it.each([
    ['a stray byte', Buffer.concat([Buffer.from('I like tea'), Buffer.from([0, 0xff]), Buffer.from(' and rain.')])],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeffI like tea.', 'utf16le')],
    ['many scripts', Buffer.from('お茶が好きです。Я люблю чай. 🍵🍵 ‏אני אוהב תה')],
    ['tabs, form feeds and colours', Buffer.from('I\tlike\r\ntea.\f\u001b[1mBold\u001b[0m\n')],
  ])('is not suspected because of %s', async (_what, content) => {
    expect((await read(write('notes.txt', content))).texts).toHaveLength(1)
  })
})

describe('a folder', () => {
  it('of notes is read completely, in a stable order, without hidden files and links', async () => {
    write('b/two.md', 'Two')
    write('a.txt', 'One')
    write('.trash/old.md', 'no')
    write('node_modules/a/README.md', 'no')
    write('picture.png', 'no')
    symlinkSync(write('outside.csv', 'no'), join(directory, 'link.md'))
    expect(await read(directory)).toEqual({ format: 'markdown', texts: ['One', '# two\nTwo'] })
  })

  it('is a mirror only if the mark is at its top', async () => {
    const page = '---\nkeepsake_mirror: 1\nuser: "a"\nproject: null\nmemories:\n---\n'
    write('mine/.keepsake-mirror.json', '{}')
    write('mine/a/no-project/2026-01.md', page)
    expect((await read(join(directory, 'mine'))).format).toBe('mirror')
    expect(
      (
        await read(
          write(
            'mine.zip',
            zipOf([
              { name: 'mine/.keepsake-mirror.json', text: '{}' },
              { name: 'mine/a/b.md', text: page },
            ]),
          ),
        )
      ).format,
    ).toBe('mirror')
    rmSync(join(directory, 'mine.zip'))
    write('note.md', 'Words')
    expect((await read(directory)).format).toBe('markdown')
  })

  it('with an unpacked export is read as that export, with all its files', async () => {
    write('conversations-000.json', chatGpt)
    write('conversations-001.json', chatGpt.replace('Rome', 'Paris'))
    write('user.json', '{}')
    expect(await read(directory)).toEqual({ format: 'chatgpt', texts: ['Hello Rome', 'Hello Paris'] })
    await expect(read(dirname(write('empty/x.png', 'x')))).rejects.toThrow('no conversations.json')
  })
})

describe('a ZIP archive', () => {
  const files = [
    { name: 'users.json', text: '[]' },
    { name: 'conversations.json', text: claude },
    { name: 'memories.json', text: memories, stored: true },
    { name: 'projects/p1.json', text: '{"name":"P","docs":[{"filename":"f","content":"Doc"}]}', wide: true },
  ]

  it('is read without unpacking it', async () => {
    const expected = { format: 'claude', texts: ['Hello Oslo', 'Is a nurse', 'Doc'] }
    expect(await read(write('export.zip', zipOf(files)))).toEqual(expected)
    expect(await read(write('noted.zip', zipOf(files, 'a comment behind the end')))).toEqual(expected)
  })

  it.each([
    ['cut off', zipOf(files).subarray(0, -30), 'damaged'],
    ['encrypted', zipOf([{ name: 'conversations.json', text: claude, encrypted: true }]), 'encrypted'],
    ['larger than it says', zipOf([{ name: 'conversations.json', text: claude, claimedBytes: 5 }]), 'damaged'],
    ['smaller than it says', zipOf([{ name: 'conversations.json', text: claude, claimedBytes: 9999 }]), 'damaged'],
  ])('is rejected if it is %s', async (_what, bytes, mention) => {
    const path = write('bad.zip', bytes)
    await expect(
      (async () => {
        const { files: found } = await open(path)
        for (const file of found) await wholeText(file)
      })(),
    ).rejects.toThrow(mention)
  })

  it('is rejected if its compressed bytes were changed', async () => {
    const bytes = zipOf([{ name: 'conversations.json', text: claude }])
    bytes.fill(0xff, 60, 90)
    const path = write('bad.zip', bytes)
    const { files: found } = await open(path)
    await expect(wholeText(found[0] ?? expect.fail())).rejects.toThrow('damaged')
  })
})
