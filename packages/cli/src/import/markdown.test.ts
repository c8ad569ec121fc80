import { describe, expect, it } from 'vitest'
import { frontMatterOf } from './front-matter.js'
import type { Read } from './item.js'
import { readMarkdown, readText } from './markdown.js'

const options = { nowMs: Date.parse('2026-06-01T00:00:00Z'), fileTimes: false }
const textsOf = (read: Iterable<Read>) => [...read].map((each) => (each.kind === 'item' ? each.text : each.reason))

describe('a Markdown note', () => {
  it('becomes an item with its date, its metadata, and the headings of each section', () => {
    const text = `---
title: Rome
date: 2025-04-02
tags: [travel, "to do"]
aliases:
  - Roma
  - Caput Mundi
rating: 5
draft: false
---
See [[Italy|the country]].

# Food
## Trattoria ##
Opened in 1999.
\`\`\`
# no heading
\`\`\`
# Rooms in C#
None.
`
    const [item, ...more] = [...readMarkdown({ name: 'places/Rome.md', text }, options)]
    expect(more).toEqual([])
    expect(item).toEqual({
      kind: 'item',
      name: 'places/Rome.md',
      source: 'markdown',
      createdAt: '2025-04-02T00:00:00.000Z',
      metadata: {
        file: 'places/Rome.md',
        title: 'Rome',
        date: '2025-04-02',
        tags: ['travel', 'to do'],
        aliases: ['Roma', 'Caput Mundi'],
        rating: 5,
        draft: false,
      },
      text: '# Rome\nSee [[Italy|the country]].\n\n# Rome › Food › Trattoria\nOpened in 1999.\n```\n# no heading\n```\n\n# Rome › Rooms in C#\nNone.',
    })
  })

  it('is split between sections, and each part of a long section starts with its headings', () => {
    const paragraph = `${'It was a long day. '.repeat(60)}\n\n`
    const pieces = textsOf(
      readMarkdown({ name: 'a.md', text: `# a\n## One\n${paragraph.repeat(6)}\n## Two\nShort.` }, options),
    )
    expect(pieces.length).toBeGreaterThan(1)
    for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/^# a › One\n/)
    expect(pieces.at(-1)).toContain('# a › Two\nShort.')
  })

  it('is dated by its name if that is a day, and by its file only on request', () => {
    const dated = (name: string, fileTimes: boolean) => {
      const [item] = readMarkdown(
        { name, text: 'x', modifiedMs: Date.parse('2024-01-01T00:00:00Z') },
        { ...options, fileTimes },
      )
      return item?.kind === 'item' ? item.createdAt : undefined
    }
    expect(dated('daily/2025-03-09 Sunday.md', true)).toBe('2025-03-09T00:00:00.000Z')
    expect(dated('daily/2025-02-30.md', false)).toBeUndefined()
    expect(dated('note.md', false)).toBeUndefined()
    expect(dated('note.md', true)).toBe('2024-01-01T00:00:00.000Z')
  })

  it('without text is left out', () => {
    expect(textsOf(readMarkdown({ name: 'e.md', text: '---\ntags: x\n---\n# Only a heading\n' }, options))).toEqual([
      'it has no text',
    ])
    expect(textsOf(readText({ name: 'e.txt', text: ' \n' }, options))).toEqual(['it has no text'])
  })
})

describe('the front matter', () => {
  it.each([
    ['---\ntitle: a --- \n---\n', { title: 'a ---' }],
    ['text with --- in it\n---\nmore', {}],
    ['---\nnot closed', {}],
    ['---\n---\nbody', {}],
    ['---\nlink: [[Rome]]\nempty:\n"a: b": c\n---\n', { link: '[[Rome]]', '"a': 'b": c' }],
    ['---\n__proto__: x\nnested:\n  a: 1\n---\n', {}],
  ])('of %j is %j', (text, fields) => {
    expect(frontMatterOf(text).fields).toEqual(fields)
  })
})

it('splits a long plain text at paragraphs without losing anything', () => {
  const text = Array.from({ length: 900 }, (_, at) => `Paragraph ${at} has a few words in it.`).join('\n\n')
  const pieces = textsOf(readText({ name: 't.txt', text }, options))
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('\n\n')).toBe(text)
  const smiles = '😀'.repeat(20_000)
  const cut = textsOf(readText({ name: 't.txt', text: smiles }, options))
  expect(cut.join('')).toBe(smiles)
  for (const piece of cut) expect(piece).not.toMatch(/\p{Cs}/u)
})
