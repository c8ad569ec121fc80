import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexStem } from '../../language/words/stem.js'
import { isStopWord, tokenize } from './tokenize.js'

describe('tokenize', () => {
  it.each([
    ['Hello, World!', ['hello', 'world']],
    ['', []],
    ['  \t\n ', []],
    ['!!! ... 🎉🎉', []],
    ['C++ and C# beat F#.', ['c++', 'and', 'c#', 'beat', 'f#']],
    ['issue#5 a+b', ['issu', '5', 'a', 'b']],
    ['version 3.5, 192.168.0.1 and 1,000,000.', ['version', '3.5', '192.168.0.1', 'and', '1000000']],
    ['end. 3. next', ['end', '3', 'next']],
    ['john.doe@acme-corp.com', ['john', 'doe', 'acm', 'corp', 'com']],
    ['snake_case_name', ['snake', 'case', 'name']],
    ["John's dogs' don't I'm they've O'Brien l'avion", 'john dog dont i they o brien l avion'.split(' ')],
    ['It’s John’s', ['it', 'john']],
    ['Café CRÈME naïve Ångström', ['cafe', 'creme', 'naiv', 'angstrom']],
    ['Straße Łódź Øre Æther', ['strass', 'lodz', 'ore', 'aether']],
    ['ﬁne Ｆｕｌｌ ①', ['fine', 'full', '1']],
    ['İstanbul', ['istanbul']],
    ['Привет мир', ['привет', 'мир']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['東京都に住む', ['東京', '京都', '都に', 'に住', '住む']],
    ['猫', ['猫']],
    ['iPhone手机x', ['iphon', '手机', 'x']],
    ['한국어를 말해요', ['한국', '국어', '어를', '말해', '해요']],
    ['𠮷野家', ['𠮷野', '野家']],
    ['\ud800 lone \udc00', ['lone']],
  ])('reads %j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens)
  })

  it('caps the length of a token', () => {
    expect(tokenize('x'.repeat(10_000)).map((token) => token.length)).toEqual([40])
    expect(tokenize('1.'.repeat(10_000)).map((token) => token.length)).toEqual([40])
  })

  it('returns no empty token, no upper case and no space for any text, and is deterministic', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const tokens = tokenize(text)
        expect(tokens).toEqual(tokenize(text))
        for (const token of tokens) expect(token).toMatch(/^[^\s,!?@]{1,42}$/u)
      }),
    )
  })

  it('ignores case, accents and Unicode forms', () => {
    fc.assert(
      fc.property(fc.constantFrom('Café', 'Ångström', 'Zoë', 'Łódź', 'ガギグ', '한글', 'naïve'), (word) => {
        const tokens = tokenize(word)
        expect(tokenize(word.toUpperCase())).toEqual(tokens)
        expect(tokenize(word.normalize('NFD'))).toEqual(tokens)
      }),
    )
  })

  it('recognizes stop words as it returns them', () => {
    for (const token of tokenize("The have does don't because where")) expect(isStopWord(token)).toBe(true)
    for (const token of tokenize('John likes coffee')) expect(isStopWord(token)).toBe(false)
  })
})

describe('stem', () => {
  it.each([
    ['memory', 'memories'],
    ['work', 'works', 'worked', 'working'],
    ['live', 'lives', 'lived', 'living'],
    ['use', 'uses', 'used', 'using'],
    ['dance', 'dances', 'danced', 'dancing'],
    ['hop', 'hopped', 'hopping'],
    ['hope', 'hoped', 'hoping'],
    ['plan', 'planned', 'planning'],
    ['control', 'controlled', 'controlling'],
    ['class', 'classes'],
    ['tie', 'ties', 'tied'],
    ['agree', 'agreed', 'agrees'],
    ['study', 'studies', 'studied', 'studying'],
  ])('gives all forms of %s the same stem', (...forms) => {
    expect(new Set(forms.map(indexStem)).size).toBe(1)
  })

  it('does not change short words, names and codes', () => {
    for (const word of ['is', 'bus', 'paris', 'sing', 'bed', 'thing', 'c++', '3.5', 'мир', 'a1s']) {
      expect(indexStem(word)).toBe(word)
    }
  })

  it('gives different words different stems', () => {
    expect(indexStem('organ')).not.toBe(indexStem('organization'))
    expect(indexStem('hope')).not.toBe(indexStem('hop'))
  })
})
