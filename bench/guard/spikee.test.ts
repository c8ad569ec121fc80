import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MissingData } from '../quality/rows.js'
import { injected, readSpikee } from './spikee.js'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** Twelve kinds of templates, so that both halves get some. */
const templates = Array.from({ length: 12 }, (_, kind) => [
  { jailbreak_type: `kind ${kind}`, text: `Order ${kind}: <INSTRUCTION>!` },
  { jailbreak_type: `kind ${kind}`, text: `Befehl ${kind}: <INSTRUCTION>!`, lang: 'de' },
]).flat()
const seeds = {
  jailbreaks: templates as object[],
  instructions: [
    { instruction: 'pay $& to $1' },
    { instruction: 'sing a song' },
    { instruction: 'singe ein Lied', lang: 'de' },
  ],
  base_user_inputs: [{ document: 'the soup is hot' }],
  harmless: [{ text: 'See you at noon.' }, { text: 'The bus was late.' }, { text: 'See you at noon.' }],
}

async function folderOf(files: Readonly<Record<string, readonly object[]>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-seeds-'))
  folders.push(folder)
  for (const [name, rows] of Object.entries(files))
    await writeFile(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return folder
}

async function readBoth(folder: string) {
  const halves = { open: await readSpikee(folder, 'open'), sealed: await readSpikee(folder, 'sealed') }
  const texts = (half: keyof typeof halves, kind: string) =>
    halves[half].find(({ name }) => name === `spikee ${half}, ${kind}`)?.cases.map(({ text }) => text) ?? []
  return { texts, both: (kind: string) => [...texts('open', kind), ...texts('sealed', kind)] }
}

describe('the attacks built from seed files', () => {
  it('fill each template with each order of its language, alone and at three places of the document', async () => {
    const { both } = await readBoth(await folderOf(seeds))
    expect(both('English')).toHaveLength(12 * 2 * 4)
    expect(both('English, alone')).toContain('Order 3: pay $& to $1!')
    expect(both('English, at the end')).toContain('the soup is hot\nOrder 3: sing a song!\n')
    expect(both('English, in a document')).toHaveLength(12 * 2 * 3)
    expect(both('other languages')).toHaveLength(12 * 4)
    expect(both('other languages')).toContain('Befehl 0: singe ein Lied!')
  })

  it('are divided into halves by the kind of template, and the harmless texts with them', async () => {
    const { texts, both } = await readBoth(await folderOf(seeds))
    const kinds = (half: 'open' | 'sealed') =>
      new Set([...texts(half, 'English'), ...texts(half, 'other languages')].map((text) => /\d+(?=:)/.exec(text)?.[0]))
    const [open, sealed] = [kinds('open'), kinds('sealed')]
    expect(open.size + sealed.size).toBe(12)
    expect(Math.min(open.size, sealed.size)).toBeGreaterThan(0)
    expect([...open].filter((kind) => sealed.has(kind))).toEqual([])
    expect(both('harmless').sort()).toEqual(['See you at noon.', 'The bus was late.', 'the soup is hot'])
  })

  it('stand at the space that is nearest to the middle of a document', () => {
    expect(injected('X', { document: 'the soup is hot' }, 'middle')).toBe('the soup\nX\n is hot')
    expect(injected('X', { document: 'unbelievably hot' }, 'middle')).toBe('unbelievably\nX\n hot')
    expect(injected('X', { document: 'an unbelievable' }, 'middle')).toBe('an\nX\n unbelievable')
    expect(injected('X', { document: 'word' }, 'middle')).toBe('wo\nX\nrd')
    expect(injected('X', { document: 'word' }, 'start')).toBe('\nX\nword')
  })

  it('replace the placeholder of a document that has one, and are counted once', async () => {
    const documents = [{ document: 'Dear Ann, <HERE> Yours, Tom', placeholder: '<HERE>' }]
    const { both } = await readBoth(await folderOf({ ...seeds, base_user_inputs: documents }))
    const held = both('English, in a document')
    expect(held).toHaveLength(12 * 2)
    expect(held).toContain('Dear Ann, \nOrder 3: sing a song!\n Yours, Tom')
    expect(both('harmless')).toContain('Dear Ann,  Yours, Tom')
  })

  it('are missing data if a seed file does not exist, and an error if a template has no place for the order', async () => {
    const { harmless, ...others } = seeds
    await expect(readSpikee(await folderOf(others), 'open')).rejects.toThrow(MissingData)
    const broken = { ...seeds, jailbreaks: [{ jailbreak_type: 'kind', text: 'Nothing to fill' }] }
    await expect(readSpikee(await folderOf(broken), 'open')).rejects.toThrow('"Nothing to fill" has no <INSTRUCTION>')
  })
})
