import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { isPagePath, pagePath } from './names.js'
import { pageText, readPage } from './page.js'
import { markdownLines, textOfMarkdown } from './text.js'

/** Text that is likely to confuse a parser, beside any other text. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '---',
        '\n',
        '# ',
        '## 2026-01-01 mem_1',
        '> ',
        '<b>',
        '-->',
        '`',
        '*',
        '_',
        '~~',
        '\\',
        '&amp;',
        '&#x41;',
      ),
      fc.constantFrom(
        ' ',
        '\t',
        '1. ',
        '- ',
        '+',
        '=',
        '[x](y)',
        '![',
        '"',
        "'",
        ':',
        '\r',
        '\u2028',
        '\u202e',
        '\ufeff',
        '\u0085',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('text in a mirror', () => {
  it('is read back unchanged, whatever it contains', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(textOfMarkdown(markdownLines(text))).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('has no line that means something else in Markdown', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        for (const line of markdownLines(text)) {
          expect(line).not.toMatch(/^(?:\s|#|>|[-+=]|\d+[.)])|\s$/)
          expect(line.replace(/\\.|&#x[0-9a-f]+;/gs, '')).not.toMatch(/[<`*[\]|$#%~]/)
          expect(line).not.toMatch(/[\r\u2028\u202e\ufeff\u0085]/)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('strikes through what is outdated, also over the end of a line, and is read back without the marks', () => {
    const lines = markdownLines('I work at Acme\nin Porto and ~row~.', [{ start: 10, end: 23 }])
    expect(lines).toEqual(['I work at ~~Acme~~', '~~in Porto~~ and \\~row\\~.'])
    expect(textOfMarkdown(lines)).toBe('I work at Acme\nin Porto and ~row~.')
  })
})

describe('a page of a mirror', () => {
  it('is read back as the same memories, and its front matter is YAML', () => {
    const memory = fc.record({
      content: nasty.filter((text) => text !== ''),
      source: nasty,
      metadata: fc.dictionary(nasty, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    })
    fc.assert(
      fc.property(nasty, fc.option(nasty), fc.array(memory, { minLength: 1, maxLength: 4 }), (user, project, some) => {
        const createdAt = '2026-01-02T03:04:05.678Z'
        const memories = some.map((each, at) => ({ id: `mem_${at}`, createdAt, ...each }))
        const text = pageText({ user, project, month: '2026-01', memories })
        const end = text.indexOf('\n---\n', 4)
        const front = parseYaml(text.slice(4, end + 1))
        expect(front).toMatchObject({ keepsake_mirror: 1, user, project, month: '2026-01' })
        expect(front.memories.map(({ id }: { id: string }) => id)).toEqual(memories.map(({ id }) => id))
        const page = readPage(text)
        expect(page).toMatchObject({ user, project, month: '2026-01', strangers: [] })
        expect(page?.memories.map(({ content, source }) => ({ content, source }))).toEqual(
          some.map(({ content, source }) => ({ content, source })),
        )
        expect(JSON.stringify(page?.memories.map(({ metadata }) => metadata).map(keysSorted))).toBe(
          JSON.stringify(some.map(({ metadata }) => keysSorted(metadata))),
        )
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['another front matter', '---\ntitle: x\nuser: "a"\nproject: null\n---\nText'],
    ['front matter without an end', '---\nkeepsake_mirror: 1\nuser: "a"\nproject: null\n'],
    ['broken JSON', '---\nkeepsake_mirror: 1\nuser: "a"\nproject: null\nmemories:\n  - {id}\n---\n'],
  ])('is refused with %s', (_what, text) => {
    expect(readPage(text)).toBeUndefined()
  })
})

it('a path of a page stays in the folder and is unique, whatever the names', () => {
  const name = fc.oneof(nasty, fc.constantFrom('..', '.', '/', 'con', 'no-project', 'Work', 'work', 'WORK', 'wörk'))
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(name, fc.option(name), (user, project) => {
      const path = pagePath(user, project, '2026-01')
      expect(isPagePath(path), path).toBe(true)
      const who = JSON.stringify([user, project])
      expect(seen.get(path.toLowerCase()) ?? who).toBe(who)
      seen.set(path.toLowerCase(), who)
    }),
    { numRuns: 2_000 },
  )
  for (const path of ['../a/2026-01.md', 'a/b/../2026-01.md', '/a/b/2026-01.md', 'a/b/x.md', 'a/2026-01.md']) {
    expect(isPagePath(path), path).toBe(false)
  }
})

function keysSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysSorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [key, keysSorted(member)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}
