import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isWhollyOutdated,
  markedText,
  type OutdatedPart,
  partsOf,
  remainingText,
  withoutPart,
  withParts,
} from './outdated.js'

const since = Date.UTC(2026, 0, 31, 23, 59)
const content = "I'm Marta, I live in Gothenburg, and I have two kids."

function part(words: string, by: string | null = 'mem_b', text = content): OutdatedPart {
  const start = text.indexOf(words)
  return { start, end: start + words.length, since, by }
}

describe('remainingText', () => {
  it('is the content itself if nothing is outdated', () => {
    expect(remainingText(' two  blanks\n', [])).toBe(' two  blanks\n')
  })

  it('cuts the parts without leaving double blanks or double punctuation', () => {
    expect(remainingText(content, [part('I live in Gothenburg')])).toBe("I'm Marta, and I have two kids.")
    expect(remainingText(content, [part("I'm Marta")])).toBe('I live in Gothenburg, and I have two kids.')
    expect(remainingText(content, [part(' and I have two kids')])).toBe("I'm Marta, I live in Gothenburg,")
    expect(remainingText(content, [part('Gothenburg')])).toBe("I'm Marta, I live in, and I have two kids.")
    const said = 'Marta: I live in Oslo. I ski.'
    expect(remainingText(said, [part('I live in Oslo', null, said)])).toBe('Marta: I ski.')
  })

  it('cuts several parts', () => {
    expect(remainingText(content, [part("I'm Marta"), part('I live in Gothenburg')])).toBe('and I have two kids.')
  })
})

describe('isWhollyOutdated', () => {
  it('holds only if no word is left apart from the name of the speaker', () => {
    const said = 'Marta: I live in Oslo.'
    expect(isWhollyOutdated(said, [])).toBe(false)
    expect(isWhollyOutdated(said, [part('I live in Oslo', null, said)])).toBe(true)
    expect(isWhollyOutdated(said, [part('Oslo', null, said)])).toBe(false)
    expect(isWhollyOutdated(said, [{ start: 0, end: said.length }])).toBe(true)
  })
})

describe('markedText', () => {
  it('shows each part in its place, with the day since when it is outdated', () => {
    expect(markedText(content, [part('I live in Gothenburg')])).toBe(
      "I'm Marta, (outdated since 2026-01-31: I live in Gothenburg), and I have two kids.",
    )
    expect(markedText(content, [part("I'm Marta"), part('two kids.')])).toBe(
      "(outdated since 2026-01-31: I'm Marta), I live in Gothenburg, and I have (outdated since 2026-01-31: two kids.)",
    )
    expect(markedText(content, [])).toBe(content)
  })
})

describe('partsOf', () => {
  it('adds the words of each part', () => {
    expect(partsOf(content, [part('two kids')])).toEqual([{ ...part('two kids'), text: 'two kids' }])
  })
})

describe('withParts and withoutPart', () => {
  const [home, kids] = [part('I live in Gothenburg'), part('two kids', 'mem_c')]

  it('keep the list sorted and leave what is already outdated as it is', () => {
    expect(withParts([kids], [home])).toEqual([home, kids])
    expect(withParts([home, kids], [part('Gothenburg', 'mem_d')])).toEqual([home, kids])
    const wider = part('Marta, I live in Gothenburg, and', 'mem_d')
    expect(partsOf(content, withParts([home], [wider])).map(({ text, by }) => [text, by])).toEqual([
      ['Marta, ', 'mem_d'],
      ['I live in Gothenburg', 'mem_b'],
      [', and', 'mem_d'],
    ])
  })

  it('remove only the parts that this memory made outdated', () => {
    expect(withoutPart([home, kids], home, 'mem_b')).toEqual([kids])
    expect(withoutPart([home, kids], home, 'mem_c')).toEqual([home, kids])
  })

  it('never make overlaps, cover every added character, and can be undone', () => {
    const range = fc
      .tuple(fc.nat(40), fc.integer({ min: 1, max: 12 }))
      .map(([start, length]) => ({ start, end: start + length }))
    fc.assert(
      fc.property(fc.array(range, { maxLength: 6 }), (ranges) => {
        const added = ranges.map((each, index) => ({ ...each, since: index, by: `mem_${index}` }))
        const parts = added.reduce<readonly OutdatedPart[]>((all, each) => withParts(all, [each]), [])
        for (const [index, { start, end }] of parts.entries()) {
          expect(start).toBeLessThan(end)
          expect(start).toBeGreaterThanOrEqual(parts[index - 1]?.end ?? 0)
        }
        for (const { start, end } of ranges)
          for (let at = start; at < end; at++)
            expect(parts.some((each) => each.start <= at && at < each.end)).toBe(true)
        const undone = added.reduce<readonly OutdatedPart[]>((all, each) => withoutPart(all, each, each.by), parts)
        expect(undone).toEqual([])
      }),
    )
  })
})
