import { expect, it } from 'vitest'
import { questionsAmidTalk } from './amid-talk.js'

const amid: readonly (readonly [text: string, questions: readonly string[]])[] = [
  [
    "It rained all day and I'm tired. Anyway, where did I put the spare key?",
    ['Anyway, where did I put the spare key?'],
  ],
  [
    'The kids are so loud today... When is the dentist? And what does the vet cost?',
    ['When is the dentist?', 'And what does the vet cost?'],
  ],
  [
    'Long day at the office. When is the flight and from which gate do we go?',
    ['When is the flight?', 'from which gate do we go?'],
  ],
  ["I use version 2.1.4 all the time. Who is Dr. Weller's assistant?", ["Who is Dr. Weller's assistant?"]],
  ['Did you see the game? What I really wanted to ask: which locker is mine?', ['which locker is mine?']],
  ['Heute war es so heiß. Die Frage ist: wann kommt der Klempner?', ['wann kommt der Klempner?']],
  ['下了一整天的雨，好累啊。对了，备用钥匙放在哪里？', ['对了，备用钥匙放在哪里？']],
  ['今天好热。你吃饭了吗？其实我想问的是：我的柜子是几号？', ['我的柜子是几号？']],
]

it.each(amid)('asks without the talk: %s', (text, questions) => {
  expect(questionsAmidTalk(text)).toEqual(questions)
})

it.each([
  ['a question alone', 'Where do I live?'],
  ['a greeting', 'Hi! Where do I live?'],
  ['a question that needs the talk', "I'm cooking for Pia tonight. What does she eat?"],
  ['a wish for advice', 'I was thinking about rearranging the furniture in my bedroom. Any tips?'],
  ['another wish for advice', 'My cookies need something extra. Do you have any good ideas?'],
  ['a question about what the talk mentions', 'I took part in a sports event in May. What was the event?'],
  ['a statement', 'It rained all day. I am tired.'],
  ['many questions', 'We talked a lot today. Is A here? Is B here? Is C here? Is D here?'],
  ['a long text', `${'We talked about the house. '.repeat(80)}Where do I live?`],
  ['nothing', ''],
])('leaves %s', (_, text) => {
  expect(questionsAmidTalk(text)).toEqual([])
})
