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
    ['Café CRÈME naïve Ångström', ['cafe', 'creme', 'naiv', 'angstrom', 'angst*']],
    ['Straße Łódź Øre Æther', ['strass', 'lodz', 'ore', 'aether', 'stras*', 'aethe*']],
    ['ﬁne Ｆｕｌｌ ①', ['fine', 'full', '1']],
    ['İstanbul', ['istanbul', 'istan*']],
    ['Привет мир', ['приве', 'мир']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['東京都に住む', ['東', '東京', '京', '京都', '都', '都に', 'に住', '住', '住む']],
    ['ペットがいる', ['ペッ', 'ット', 'トが', 'がい', 'いる']],
    ['猫', ['猫']],
    ['iPhone手机x', ['iphon', '手', '手机', '机', 'x']],
    ['한국어를 말해요', ['한국', '국어', '어를', '말해', '해요']],
    ['𠮷野家', ['𠮷', '𠮷野', '野', '野家', '家']],
    ['ร้านกาแฟ', ['ร้า', '้าน', 'านก', 'นกา', 'กาแ', 'าแฟ']],
    ['ปู', ['ปู']],
    ['Wo wohnt meine Schwester?', ['wo', 'wohnt', 'mein', 'schwester', 'schwe*']],
    ['bệnh viện', ['benh', 'vien', 'benh_vien']],
    ['А123ВС777', ['а123вс777']],
    ['\ud800 lone \udc00', ['lone']],
  ])('reads %j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens)
  })

  it('caps the length of a token', () => {
    expect(tokenize('x'.repeat(10_000)).map((token) => token.length)).toEqual([40])
    expect(tokenize('1.'.repeat(10_000)).map((token) => token.length)).toEqual([40])
    const long = ['ệ'.repeat(100), 'жж'.repeat(100), 'ж'.repeat(100)].join(' ')
    expect(Math.max(...tokenize(long).map((token) => token.length))).toBe(40)
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

  it.each([
    ['Russian', 'программист', 'программистом', 'программиста'],
    ['Ukrainian', 'бібліотека', 'бібліотеку', 'бібліотекою'],
    ['Greek', 'βιβλιοθήκη', 'βιβλιοθήκης', 'βιβλιοθηκών'],
    ['Hindi', 'अस्पताल', 'अस्पतालों'],
    ['Arabic', 'مدرسة', 'المدرسة', 'والمدرسة', 'بالمدرسه', 'مَدْرَسَة', 'مـدرسـة'],
    ['Arabic', 'أحمد', 'احمد'],
    ['Persian', 'کتاب', 'كتاب'],
  ])('gives forms of one %s word the same token', (_, ...forms) => {
    expect(new Set(forms.flatMap(tokenize)).size).toBe(1)
  })

  it.each([
    ['German', 'Ich habe drei Wohnungen', 'Welche Wohnung habe ich?'],
    ['Spanish', 'Trabajo en una panadería', '¿Dónde trabajan mis padres?'],
    ['Italian', 'Lavoriamo alla stazione', 'Dove lavorano i miei?'],
    ['Turkish', 'Ankara’da öğretmenim', 'Öğretmenler nerede?'],
    ['Polish', 'Nie mieszkam w Krakowie', 'Gdzie mieszkasz, kiedy pracujesz?'],
  ])('finds other forms of a word in %s', (_, memory, query) => {
    const beginnings = (text: string) => tokenize(text).filter((token) => token.endsWith('*'))
    expect(beginnings(query).filter((token) => beginnings(memory).includes(token))).not.toEqual([])
  })

  it.each([
    'I spent a week in San José with the Müllers.',
    'My son plays for La Liga in Los Angeles on Sundays.',
    'The café at the corner is open until eleven.',
    'What was the name of the hotel in El Paso?',
    'We organised the international conference.',
    'remember the milk',
    'Los Angeles Lakers, Las Vegas Raiders',
    'Beyoncé and Renée Zellweger were there',
  ])('adds no terms to English: %s', (text) => {
    expect(tokenize(text).filter((token) => token.endsWith('*') || token.includes('_'))).toEqual([])
  })

  it('finds a whole word of another language by a query that does not show its language', () => {
    expect(tokenize('Meine Schwester wohnt in Graz')).toEqual(expect.arrayContaining(tokenize('Schwester Graz')))
  })

  it('recognizes stop words as it returns them', () => {
    for (const token of tokenize("The have does don't because where")) expect(isStopWord(token)).toBe(true)
    for (const token of tokenize('что где когда τι πού είναι ماذا أين क्या कहाँ'))
      expect(isStopWord(token), token).toBe(true)
    for (const token of tokenize('John likes coffee, кофе, καφές, قهوة')) expect(isStopWord(token), token).toBe(false)
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
