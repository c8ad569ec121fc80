import { describe, expect, it } from 'vitest'
import { isFiller, statesNothing } from './chatter.js'

describe('statesNothing', () => {
  it.each([
    'What’s the capital of Peru?',
    'How are you?',
    'what did I say about the car?',
    'do you remember what i told you about my sister?',
    'can you make it shorter',
    'Could you translate this into French, please?',
    'how do i undo the last commit',
    'pnpm or yarn?',
    'do I need a licence header in there or is that overkill',
    'should we squash or rebase here',
    'Thanks! Is there a way to centre a div in a table?',
    'explain mortgages',
    'give me an easy dinner recipe',
    'bullet points please',
    'Tell me a story about a dragon. Make it a bit funnier.',
  ])('is true for a bare question or request: %s', (text) => {
    expect(statesNothing(text)).toBe(true)
  })

  it.each([
    'any vegan places near my new office in Leeds?',
    'What is a good name for a cat? She is a grey rescue.',
    'how do I squash? we enforce linear history',
    'Is Anna still at Globex?',
    'What time does the train leave on Friday?',
    'Who won at 20:30?',
    'How about Thai food?',
    'How come the rent went up?',
    'Nothing in there gets committed, ok?',
    'Can you book a table for two?',
    'surprise me, but nothing with olives',
    'Draft is ready',
    'List price went up',
    'do I need my inhaler for the climb on Ben Lomond',
    'should I tell her about the baby',
    'can I have the red one, my favourite',
    'Write to a.b@example.org when ready!',
    'Go back to Postgres',
    'what matters is price',
    'call me Zeph',
    'Show me metric units from now on',
    'We moved to Graz.',
    '何を買ったの？',
    'Wo ist mein Schlüssel?',
    'Was macht Papa jetzt?',
    'Is mijn afspraak verzet?',
    '¿Dónde vive la tía?',
    '',
  ])('is false where something may be stated: %s', (text) => {
    expect(statesNothing(text)).toBe(false)
  })

  it('is false for a long text, which is read in linear time', () => {
    expect(statesNothing('What is it? '.repeat(5_000))).toBe(false)
  })
})

describe('isFiller', () => {
  it.each([
    'Sure! What kind of food do you like?',
    'Great question!',
    'I’d be happy to help with that. Just paste the text here and tell me which tone you want.',
    'You’re very welcome! Don’t hesitate to ask if anything else comes up.',
    'I’ve updated the draft.',
    'Oh, how exciting! Congratulations! How did you celebrate?',
  ])('is true for courtesies, offers and questions: %s', (text) => {
    expect(isFiller(text, '')).toBe(true)
  })

  it.each([
    'Noted: your flight is on the 12th.',
    'Agreed then: we ship without offline mode.',
    'Okay, no emojis in my answers to you from here on.',
    'I recommend the Lotus Garden in Soho. Would you like to book a table?',
    'Three options: a train, a bus, or a rental car.',
    'Ibuprofen and paracetamol work in different ways, and adults can usually take both.',
    'The shop opens at 9.',
  ])('is false for information: %s', (text) => {
    expect(isFiller(text, 'What should I do?')).toBe(false)
  })

  it('is true for a repetition of what the user just said, unless it adds a name, a number or more', () => {
    const said = 'We got a kitten and called her Waffles'
    expect(isFiller('What a lovely choice! So your kitten is called Waffles.', said)).toBe(true)
    expect(isFiller('So your kitten is called Waffles, like the cat of Marta.', said)).toBe(false)
    expect(isFiller('So your kitten is called Waffles 2.', said)).toBe(false)
    expect(isFiller('Your kitten needs a vaccination against flu soon.', said)).toBe(false)
    expect(isFiller('So your kitten is called Waffles.', '')).toBe(false)
  })
})
