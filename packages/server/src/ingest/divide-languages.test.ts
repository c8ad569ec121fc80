import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide } from './divide.js'

const now = Date.UTC(2025, 6, 16)
const contents = (content: string) => divide({ content }, now).memories.map((memory) => memory.content)

describe('text in other languages becomes memories', () => {
  it.each([
    ['Ich wohne in Graz.\nMein Hund heißt Bello.\nMorgen um 15 Uhr bin ich beim Zahnarzt.', 3],
    ['Vivo en Lugo con mi hermana.\n¿Sabes qué? Mi perro se llama Toby.', 2],
    ['我现在住在上海浦东。\n我的猫叫小黑，今年三岁。', 2],
    ['いまは東京に住んでいます。\n猫の名前はタマといいます。', 2],
    ['Я живу в Твери.\nВ прошлый вторник я купил машину.', 2],
  ])('one per line, in its own words: %j', (text, count) => {
    const memories = contents(text)
    expect(memories).toHaveLength(count)
    for (const memory of memories) expect(text.replace(/\s+/gu, ' ')).toContain(memory)
  })

  it.each([
    'Der Termin am 12. März ist z. B. bei Dr. Weiß im 2. Stock.',
    '「行きます。待ってて。」と彼は言った。',
    'El próximo viernes, si no llueve, iremos a ver al Sr. Pérez.',
    '上周五我们搬家了，因为房租太贵，所以现在住在苏州。',
  ])('and a compound sentence stays together: %s', (text) => {
    expect(contents(text)).toEqual([text])
  })

  it('and every character is in a segment, and no other character in a memory', () => {
    const sentence = fc.constantFrom(
      ...[
        'Ich war gestern bei Dr. Weiß im 2. Stock. ',
        '¿Dónde? ¡En Lugo, el próximo viernes! ',
        '« Je pars. Attends. » ',
        '我昨天搬家了。',
        '「行きます。」と言った。',
        'На ул. Ленина, д. 5. ',
        'मैं दिल्ली में रहता हूँ। ',
        'أين تعيش؟ ',
        'ฉันอยู่ที่เชียงใหม่ ',
        'בית שלי בחיפה. ',
        '\n',
        '\u202eabc\u202c ',
        'e\u0301te\u0301 ',
      ],
    )
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 40 }), (parts) => {
        const text = parts.join('')
        if (text.trim() === '') return
        const { segments, memories } = divide({ content: text }, now)
        expect(segments.join('')).toBe(text)
        const plain = text.replace(/\s+/gu, '')
        for (const { content } of memories) expect(plain).toContain(content.replace(/\s+/gu, ''))
        const said = memories
          .map(({ content }) => content)
          .join('')
          .replace(/\s+/gu, '')
        const covered = memories.reduce(
          (sum, { segments: [first, last] }) =>
            sum +
            segments
              .slice(first, last + 1)
              .join('')
              .replace(/\s+/gu, '').length,
          0,
        )
        // A memory may leave out small talk, which its segments keep.
        expect(said.length).toBeLessThanOrEqual(covered)
        expect(covered).toBe(plain.length)
      }),
      { numRuns: 200 },
    )
  })
})
