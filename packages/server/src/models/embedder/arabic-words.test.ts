import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { openWordPieces } from '../runtime/word-pieces.js'
import { arabicReader } from './arabic-words.js'

describe('Arabic words for the embedder', () => {
  const vocabulary = new Set(['مطر', 'قلم', 'وال', '##قلم', 'وا', '##ل', '##م', '##طر'])
  const read = arabicReader((piece) => vocabulary.has(piece))

  it('lose a prefix if that leaves fewer pieces', () => {
    expect(read('والمطر')).toBe('مطر')
    expect(read('(المطر، و بالمطر!)')).toBe('(مطر، و مطر!)')
  })

  it('keep a prefix in a word of few pieces', () => {
    expect(read('والقلم')).toBe('والقلم')
  })

  it('have no vowel marks and are not stretched', () => {
    expect(read('كِتَابـــي')).toBe('كتابي')
  })

  it('are the only words that change', () => {
    for (const text of ['Hello wörld', '你好', 'گفتگوها', '', 'שלום']) expect(read(text)).toBe(text)
  })
})

describe('Arabic words and the shipped vocabulary', () => {
  const path = fileURLToPath(new URL('../../../../../models/tokenizer.multilingual.json', import.meta.url))
  let read: (text: string) => string
  let count: (text: string) => number
  beforeAll(async () => {
    const pieces = await openWordPieces(path, 100_000)
    read = arabicReader(pieces.has)
    count = (text) => pieces.text(text).length
  })

  it('never have more pieces than before', () => {
    const letters = fc.constantFrom(...'ابتثجحخدذرزسشصضطظعغفقكلمنهويءأإؤئةى', ' ', 'ا', 'ل', 'و', 'ب', 'a')
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 60 }), (drawn) => {
        const text = drawn.join('')
        expect(count(read(text))).toBeLessThanOrEqual(count(text))
      }),
    )
  })

  it('leave a hostile run of letters as it is', () => {
    const run = `وال${'ب'.repeat(100_000)}`
    expect(read(run)).toBe(run)
  })
})
