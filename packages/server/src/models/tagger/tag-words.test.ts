import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { lookCount, looksOf, textKinds, type WordCutter, wordCutter, wordsOf } from './tag-words.js'

const tokenizer = new URL('../../../../../models/tokenizer.json', import.meta.url)
const allLanguages = new URL('../../../../../models/tokenizer.multilingual.json', import.meta.url)

describe('words of the tagging model', () => {
  let cutter: WordCutter
  let all: WordCutter
  beforeAll(async () => {
    all = wordCutter(JSON.parse(await readFile(allLanguages, 'utf8')))
    cutter = wordCutter(JSON.parse(await readFile(tokenizer, 'utf8')))
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

  it.each<[string, string, number[][]]>([
    [
      '佐々木さんはトヨタで働いてる。',
      '佐|々|木|さ|ん|は|トヨタ|で|働|い|て|る|。',
      [[1764], [30837], [1875], [1656], [1691], [1672], [1714, 38595, 30235], [30857], [31336], [1647], [1665], [1687]],
    ],
    [
      'LINEでさくらと話した',
      'LINE|で|さ|く|ら|と|話|し|た',
      [[2240], [30857], [1656], [1653], [1685], [1666], [35673]],
    ],
    ['เขาไปโรงเรียนที่กรุงเทพ', 'เขา|ไป|โรง|เรียนที่กรุง|เทพ', [[40323], [40499], [44280]]],
    ['か\u3099んばる', 'か\u3099|ん|ば|る', [[30844], [1691], [30859], [1687]]],
    [
      '我住在北京的Google大厦',
      '我|住|在|北|京|的|Google|大|厦',
      [[1855], [31198], [31992], [1781], [1755], [1916], [8224]],
    ],
    ['Wohne in St. Gallen', 'Wohne|in|St|.|Gallen', [[44070, 2638], [1999], [2358], [1012], [26033, 2368]]],
    ['Zoë ｦﾀｸ ｦ', 'Zoë|ｦﾀｸ|ｦ', []],
    ['민수는Seoul에서 가\u3099abc', '민수는|Seoul|에서|가\u3099|abc', []],
  ])('are the same as in training with the pieces of all languages: %s', (text, words, pieces) => {
    const row = all.row(text, 'notes', 64)
    expect(row.words.map(({ start, end }) => text.slice(start, end)).join('|')).toBe(words)
    const found = row.begins.map((begin, at) => row.tokens.slice(begin, row.begins[at + 1] ?? -1))
    expect(found.slice(0, pieces.length)).toEqual(pieces)
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
