import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { beginningOf } from './beginning-of.js'
import { openWordPieces, type WordPieces } from './word-pieces.js'

const path = fileURLToPath(new URL('../../../../../models/tokenizer.json', import.meta.url))
const [cls, sep, hello, world] = [101, 102, 7592, 2088]

describe('texts as tokens', () => {
  let pieces: WordPieces
  beforeAll(async () => {
    pieces = await openWordPieces(path, 16)
  })

  it('is enclosed in its markers', () => {
    expect(pieces.text('Hello world')).toEqual([cls, hello, world, sep])
    expect(pieces.text('')).toEqual([cls, sep])
  })

  it('is cut so that the last marker stays', () => {
    const tokens = pieces.text('hello '.repeat(50))
    expect(tokens).toEqual([cls, ...Array.from({ length: 14 }, () => hello), sep])
  })

  it('follows its query as the second segment', () => {
    const pair = pieces.pairsOf('Hello')
    expect(pair('world')).toEqual({ tokens: [cls, hello, sep, world, sep], secondSegment: 3 })
    expect(pair('')).toEqual({ tokens: [cls, hello, sep, sep], secondSegment: 3 })
  })

  it('never displaces the query, and leaves room for a text next to a long query', () => {
    const short = pieces.pairsOf('hello hello hello')('world '.repeat(50))
    expect(short.tokens).toEqual([cls, hello, hello, hello, sep, ...Array.from({ length: 10 }, () => world), sep])
    const long = pieces.pairsOf('hello '.repeat(50))('world '.repeat(50))
    expect(long.secondSegment).toBe(12)
    expect(long.tokens).toHaveLength(16)
    expect(long.tokens.slice(11)).toEqual([sep, world, world, world, sep])
  })
})

describe('the beginning of a long text', () => {
  it('leaves a short text unchanged, including white space', () => {
    expect(beginningOf(' a  b ', 10)).toBe(' a  b ')
  })

  it('counts white space once, and splits no character', () => {
    expect(beginningOf(`${' \n'.repeat(50)}hello`, 10)).toBe(' hello')
    expect(beginningOf('abc👩👩', 4)).toBe('abc')
    expect(beginningOf('abc👩👩', 5)).toBe('abc👩')
  })
})
