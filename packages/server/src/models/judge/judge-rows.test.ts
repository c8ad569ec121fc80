import { beforeAll, describe, expect, it } from 'vitest'
import { readLocalModel } from '../runtime/model-files.js'
import { type JudgeRow, openJudgeRows } from './judge-rows.js'
import { judgementWidth, readJudgement, relations, type TextsToJudge, wordRanges } from './judgement.js'

const pairOf = (old: string, fresh: string, mark: TextsToJudge['mark'] = 'later'): TextsToJudge => ({
  old,
  fresh,
  mark,
})

/** Every pair has a second segment. */
type Row = JudgeRow & { readonly secondSegment: number }

describe('the tokens of a pair', () => {
  let open: (maxTokens: number) => Promise<(pair: TextsToJudge) => Row>
  let rowOf: (pair: TextsToJudge) => Row
  let [first, separator] = [0, 0]
  beforeAll(async () => {
    const { tokenizer, maxTokens } = await readLocalModel('judge', 'keepsake-judge')
    open = async (most) => {
      const toRow = await openJudgeRows(tokenizer.path, most)
      return (pair) => ({ secondSegment: 0, ...toRow(pair) })
    }
    rowOf = await open(maxTokens)
    const { tokens } = rowOf(pairOf('', ''))
    first = tokens[0] ?? 0
    separator = tokens.at(-1) ?? 0
  })

  it('are the old text, then the new one with how it follows', () => {
    const { tokens, secondSegment } = rowOf(pairOf('I live in Oslo', 'I moved'))
    const other = rowOf(pairOf('I live in Oslo', 'I moved', 'next'))
    expect(tokens[0]).toBe(first)
    expect(tokens[secondSegment - 1]).toBe(separator)
    expect(tokens.at(-1)).toBe(separator)
    expect(tokens.filter((token) => token === separator)).toHaveLength(2)
    expect(other.tokens).not.toEqual(tokens)
    expect(other.tokens.slice(0, secondSegment)).toEqual(tokens.slice(0, secondSegment))
  })

  it('say where each word of the old text starts, and where the last one ends', () => {
    const old = 'My dentist is Dr. Bergström 🦷 unquestionably'
    const { wordStarts, secondSegment } = rowOf(pairOf(old, 'No.'))
    expect(wordStarts).toHaveLength(wordRanges(old).length + 1)
    expect(wordStarts[0]).toBe(1)
    expect(wordStarts.at(-1)).toBe(secondSegment - 1)
    expect([...wordStarts].sort((a, b) => a - b)).toEqual(wordStarts)
  })

  it('of a word are the same alone and among others', () => {
    const { tokens, wordStarts } = rowOf(pairOf('Our Bergström isn’t here', ''))
    const alone = rowOf(pairOf('Bergström', ''))
    expect(tokens.slice(wordStarts[1], wordStarts[2])).toEqual(alone.tokens.slice(1, alone.wordStarts[1]))
  })

  it('never exceed the maximum, and cut the old text between words', async () => {
    const small = await open(20)
    const long = 'word '.repeat(500)
    const row = small(pairOf(long, 'I moved to Oslo'))
    expect(row.tokens).toHaveLength(20)
    expect(row.wordStarts.at(-1)).toBe(row.secondSegment - 1)
    const whole = small(pairOf('word', 'I moved to Oslo'))
    expect(row.tokens.slice(row.secondSegment)).toEqual(whole.tokens.slice(whole.secondSegment))
  })

  it('leave the old text 60% if both are long, and more if the new one is short', async () => {
    const small = await open(100)
    const long = 'word '.repeat(110)
    const both = small(pairOf(long, long))
    expect([both.secondSegment, both.tokens.length]).toEqual([60, 100])
    expect(small(pairOf(long, 'no')).secondSegment).toBeGreaterThan(85)
    expect(small(pairOf('short', long)).tokens).toHaveLength(100)
  })

  it('exist for odd texts', () => {
    const odd = ['', ' ', '\ud800', '\0', '日本語', '[SEP] [CLS]', 'e\u0301'.repeat(900)]
    for (const old of odd)
      for (const fresh of odd) {
        const { tokens, wordStarts, secondSegment } = rowOf(pairOf(old, fresh))
        expect(tokens.length).toBeLessThanOrEqual(160)
        expect(wordStarts.at(-1)).toBe(secondSegment - 1)
      }
  })
})

describe('a judgement', () => {
  it('has a chance per relation, and a value per word with its place in the text', () => {
    const old = '🏠 I live in Malmö'
    const values = new Float32Array(2 * judgementWidth)
    values.set([0.125, 0, 0.5, 0.25, 0.125, 0, 0.75, 0.25, 0.5, 0, 0, 0, 1], judgementWidth)
    const { chances, words } = readJudgement(values, judgementWidth, old)
    expect(chances).toEqual({ same: 0.125, refines: 0, replaces: 0.5, ends: 0.25, adds: 0.125, unrelated: 0 })
    expect(words.map(({ start, end, outdated }) => [old.slice(start, end), outdated])).toEqual([
      ['🏠', 0.5],
      ['I', 0],
      ['live', 0],
      ['in', 0],
      ['Malmö', 1],
    ])
  })

  it('covers the first 120 words of a longer text', () => {
    expect(wordRanges('w '.repeat(500))).toHaveLength(120)
    expect(judgementWidth).toBe(relations.length + 2 + 120)
  })
})
