import { expect, it } from 'vitest'
import { questionsIn } from './parts.js'

const divided: readonly (readonly [text: string, questions: readonly string[]])[] = [
  [
    'What does the chiropodist cost and when does my bus pass run out?',
    ['What does the chiropodist cost?', 'when does my bus pass run out?'],
  ],
  ['Where do I live? And who is my landlord?', ['Where do I live?', 'who is my landlord?']],
  [
    'We leave soon. When is the flight, and from which gate do we go?',
    ['We leave soon. When is the flight?', 'from which gate do we go?'],
  ],
  ['Wann habe ich Zahnarzt und bei wem war ich im März?', ['Wann habe ich Zahnarzt?', 'bei wem war ich im März?']],
  ['Où habite ma sœur et chez qui travaille mon frère ?', ['Où habite ma sœur?', 'chez qui travaille mon frère ?']],
  ['¿Dónde vive Ana y qué coche tengo?', ['¿Dónde vive Ana?', 'qué coche tengo?']],
  ['Quando é o casamento e onde fica o hotel?', ['Quando é o casamento?', 'onde fica o hotel?']],
  ['Dove abita Ornella e quando parte il treno?', ['Dove abita Ornella?', 'quando parte il treno?']],
  ['Waar woont Sander en hoe heet mijn huisarts?', ['Waar woont Sander?', 'hoe heet mijn huisarts?']],
  ['Где живёт Алсу и когда у меня врач?', ['Где живёт Алсу?', 'когда у меня врач?']],
  ['Wann ist der Termin? Was kostet die Reise?', ['Wann ist der Termin?', 'Was kostet die Reise?']],
  ['¿Dónde vive Ana? ¿Y cuándo es la cita?', ['¿Dónde vive Ana?', '¿cuándo es la cita?']],
  ['Dove è la chiave? Quando parte il treno?', ['Dove è la chiave?', 'Quando parte il treno?']],
  ['Where do I live?? And who is my landlord??', ['Where do I live??', 'who is my landlord??']],
  ['Is Ana vegan and do we have oat milk?', ['Is Ana vegan?', 'do we have oat milk?']],
  ['We moved to Leeds last month and what is my new address?', ['what is my new address?']],
  ['我住在哪里？我的医生是谁？', ['我住在哪里？', '我的医生是谁？']],
]

it.each(divided)('divides %s', (text, questions) => {
  expect(questionsIn(text)).toEqual(questions)
})

it.each([
  'When do we mix the record and what is it called?',
  'Who visits us at Christmas and who of them must not be offered wine?',
  'Wo wohnt Anna und was macht sie beruflich?',
  'Où habite Anna et quel est son métier ?',
  'Dove abita Anna e cosa gli piace mangiare?',
])('asks what leans on the question before only as a part of the whole: %s', (text) => {
  expect(questionsIn(text)).toEqual([`${text.split(/ (?:and|und|et|e) /u)[0]}?`])
})

it.each([
  ['one question', 'Which ring sizes do Jonas and I have?'],
  ['a question that goes on', 'Which friends are vegan and have a dog?'],
  ['a statement', 'I met Anna and what she told me was sad.'],
  ['half a question', 'What and when is the concert?'],
  ['a dialogue', 'Ana: Where do you live?\nBo: And where do you work?'],
  ['more questions than anybody would ask at once', 'Where is A now? Where is B now? Where is C now? Where is D now?'],
  ['a long text', `${'We talked about the house. '.repeat(15)}Where is it and when do we move?`],
  ['nothing', ''],
])('does not divide %s', (_, text) => {
  expect(questionsIn(text)).toEqual([])
})
