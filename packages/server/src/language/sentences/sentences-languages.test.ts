import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentencesOf } from './sentences.js'

function cut(text: string): string[] {
  return sentencesOf(text, 1_000)
    .filter(({ blank }) => !blank)
    .map(({ start, end }) => text.slice(start, end).trim())
}

describe('sentences of other languages', () => {
  it.each([
    ['我住在上海。我有一只猫！你呢？', ['我住在上海。', '我有一只猫！', '你呢？']],
    ['他说：“我走了。别等我。”然后他走了。', ['他说：“我走了。别等我。”', '然后他走了。']],
    ['東京に住んでいます。猫を飼っています。', ['東京に住んでいます。', '猫を飼っています。']],
    ['「行きます。待ってて。」と彼は言った。雨だった。', ['「行きます。待ってて。」と彼は言った。', '雨だった。']],
    ['¿Dónde vives? ¡Qué bien! Vivo en Lugo.', ['¿Dónde vives?', '¡Qué bien!', 'Vivo en Lugo.']],
    ['Me gusta la fruta, p. ej. Manzanas. Vivo en Lugo.', ['Me gusta la fruta, p. ej. Manzanas.', 'Vivo en Lugo.']],
    ['El Sr. Pérez y la Sra. Díaz viven aquí.', ['El Sr. Pérez y la Sra. Díaz viven aquí.']],
    ['EE. UU. es grande. Vivo en Lugo.', ['EE. UU. es grande.', 'Vivo en Lugo.']],
    ['Ich mag Obst, z. B. Äpfel. Ich wohne in Graz.', ['Ich mag Obst, z. B. Äpfel.', 'Ich wohne in Graz.']],
    ['Das steht auf S. 12 im Buch. Es regnet.', ['Das steht auf S. 12 im Buch.', 'Es regnet.']],
    ['Am 12. März ziehe ich um. Am 3. Juli komme ich.', ['Am 12. März ziehe ich um.', 'Am 3. Juli komme ich.']],
    ['Im 2. Stock wohnt Frau Dr. Weiß. Sie ist nett.', ['Im 2. Stock wohnt Frau Dr. Weiß.', 'Sie ist nett.']],
    ['Das kostet ca. 5 Euro, d. h. wenig.', ['Das kostet ca. 5 Euro, d. h. wenig.']],
    ['„Ich gehe. Warte nicht.“ Das sagte er.', ['„Ich gehe. Warte nicht.“', 'Das sagte er.']],
    ['« Je pars. Ne m’attends pas. » Il est parti.', ['« Je pars. Ne m’attends pas. »', 'Il est parti.']],
    ['M. Durand et Mme. Petit habitent ici. Il pleut !', ['M. Durand et Mme. Petit habitent ici.', 'Il pleut !']],
    ['O Sr. Costa mora na R. Augusta. Chove.', ['O Sr. Costa mora na R. Augusta.', 'Chove.']],
    ['Il dott. Rossi abita qui. Piove.', ['Il dott. Rossi abita qui.', 'Piove.']],
    ['Ik eet fruit, bijv. Appels. Het regent.', ['Ik eet fruit, bijv. Appels.', 'Het regent.']],
    ['Я живу на ул. Ленина, д. 5. У меня есть кот.', ['Я живу на ул. Ленина, д. 5.', 'У меня есть кот.']],
    ['Это было в 2019 г. в Твери. Я там жил.', ['Это было в 2019 г. в Твери.', 'Я там жил.']],
    ['मैं दिल्ली में रहता हूँ। मेरे पास एक बिल्ली है।', ['मैं दिल्ली में रहता हूँ।', 'मेरे पास एक बिल्ली है।']],
    ['أين تعيش؟ أعيش في عمان.', ['أين تعيش؟', 'أعيش في عمان.']],
    ['میں لاہور میں رہتا ہوں۔ میرے پاس بلی ہے۔', ['میں لاہور میں رہتا ہوں۔', 'میرے پاس بلی ہے۔']],
  ])('%s', (text, expected) => {
    expect(cut(text)).toEqual(expected)
  })

  it('lose and repeat nothing of any text', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...[
          '。',
          '！',
          '？',
          '「',
          '」',
          '¿',
          '¡',
          '« ',
          ' »',
          '„',
          '“',
          '”',
          '. ',
          '! ',
          '? ',
          '।',
          '؟ ',
          '۔ ',
          '\n',
          ' ',
          '12. März',
          'z. B. ',
        ],
      ),
      fc.constantFrom(
        ...['猫', '東京です', 'Ärger', 'año', 'кот', 'हूँ', 'بيت', 'בית', 'บ้าน', 'Dr. ', '👩‍👩‍👧', '- ', '1. ', '```\n'],
      ),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 8, max: 60 }), (parts, longest) => {
        const text = parts.join('')
        const pieces = sentencesOf(text, longest)
        expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})
