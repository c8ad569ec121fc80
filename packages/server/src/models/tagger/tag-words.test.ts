import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { lookCount, looksOf, textKinds, vocabularyOf, WordCutter, wordsOf } from './tag-words.js'

const tokenizer = new URL('../../../../../models/tokenizer.json', import.meta.url)

describe('words of the tagging model', () => {
  let cutter: WordCutter
  beforeAll(async () => {
    cutter = new WordCutter(vocabularyOf(JSON.parse(await readFile(tokenizer, 'utf8'))))
  })

  // Expected values from `training/tagger/dataset.py` for the same texts: the weights were learned with these.
  it.each<[string, number[], string[]]>([
    [
      'SOCCER - JAPAN GET LUCKY WIN, CHINA IN SURPRISE DEFEAT.',
      [101, 4715, 1011, 2900, 2131, 5341, 2663, 1010, 2859, 1999, 4474, 4154, 1012, 102],
      ['shout', 'sign', 'shout', 'shout', 'shout', 'shout', 'sign', 'shout', 'shout', 'shout', 'shout', 'sign'],
    ],
    [
      "Zoë O'Brien-Smith bought an iPhone 15 in 東京 😀!",
      [101, 11199, 1051, 1005, 9848, 1011, 3044, 4149, 2019, 18059, 2321, 1999, 1879, 1755, 100, 999, 102],
      'capital letter sign capital sign capital lower lower mixed number lower other other other sign'.split(' '),
    ],
    [
      'The Quick Brown Foxes Jumped Over Dogs',
      [101, 1996, 4248, 2829, 24623, 5598, 2058, 6077, 102],
      Array.from({ length: 7 }, () => 'headline'),
    ],
  ])('match those used in training: %s', (text, tokens, looks) => {
    expect(cutter.row(text, 'web', 64).tokens).toEqual(tokens)
    expect(looksOf(wordsOf(text).map(({ start, end }) => text.slice(start, end)))).toEqual(looks)
  })

  it('keep their positions, even after surrogate pairs', () => {
    const text = '😀 Anna lives in Zürich.'
    const { words, begins, tokens } = cutter.row(text, 'web', 64)
    expect(words.map(({ start, end }) => text.slice(start, end))).toEqual(['😀', 'Anna', 'lives', 'in', 'Zürich', '.'])
    expect(begins).toHaveLength(words.length)
    expect(Math.max(...begins)).toBeLessThan(tokens.length - 1)
  })

  it('treat a URL or address as one word', () => {
    const text = 'see https://example.com/r/ireland/x?y=1 now'
    expect(wordsOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'see',
      'https://example.com/r/ireland/x?y=1',
      'now',
    ])
    expect(cutter.row(text, 'web', 64).tokens).toHaveLength(5)
  })

  it('encode the kind of text together with their shape', () => {
    const [first = 0] = cutter.row('x', 'wiki', 64).looks
    expect(Math.floor(first / lookCount)).toBe(textKinds.indexOf('wiki'))
  })

  it('stop at a word boundary when the tokens run out, in linear time', () => {
    const { tokens, words } = cutter.row('Schadenfreude '.repeat(5_000), 'web', 32)
    expect(tokens.length).toBeLessThanOrEqual(32)
    expect(tokens.at(-1)).toBe(102)
    expect(words.length).toBeGreaterThan(3)
    expect(cutter.row('x'.repeat(50_000), 'web', 32).tokens).toEqual([101, 100, 102])
    expect(cutter.row('', 'web', 32).tokens).toEqual([101, 102])
  })
})
