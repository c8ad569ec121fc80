/** Nora Vale’s conversations with an assistant and with people. */
import type { Dialogue } from './told.js'

export const dialogues: readonly Dialogue[] = [
  {
    daysAgo: 310,
    turns: [
      ['me', 'Which dog suits a flat without a garden?'],
      ['Assistant', 'A calm one. Border collies want work; a greyhound sleeps most of the day.'],
      ['me', 'I fell in love with a border collie at the Meadow Lane shelter.'],
      ['Assistant', 'Then plan two hours outside a day, and something to think about.'],
      ['me', 'I will walk the dog to work and back.'],
    ],
  },
  {
    daysAgo: 265,
    project: 'work',
    turns: [
      ['me', 'I have an interview at Northwind Cartography tomorrow.'],
      ['Assistant', 'What do you want to show them?'],
      ['me', 'The footpath map of Whitby that I drew from old surveys.'],
      ['Assistant', 'Bring it printed, people remember paper.'],
      ['me', 'Good idea, I print it at the copy shop on Woodhouse Lane.'],
    ],
  },
  {
    daysAgo: 206,
    project: 'travel',
    turns: [
      ['Tom', 'Where do we eat tonight?'],
      ['me', 'At the small place behind the Miradouro da Graça.'],
      ['Tom', 'I liked the grilled sardines there.'],
      ['me', 'I liked the rice pudding with lemon.'],
      ['Tom', 'Shall we come back to Lisbon for our tenth anniversary?'],
      ['me', 'Yes, and we take the night train from Hendaye.'],
    ],
  },
  {
    daysAgo: 147,
    project: 'health',
    turns: [
      ['Ewan', 'How did the knee twist?'],
      ['me', 'I jumped off the orange route and landed on the edge of the mat.'],
      ['Ewan', 'No running for six weeks, swimming is fine.'],
      ['me', 'Can I cycle?'],
      ['Ewan', 'On the flat, from next week on.'],
    ],
  },
  {
    daysAgo: 92,
    turns: [
      ['Rosa', 'We map seagrass from space and we need somebody who knows maps.'],
      ['me', 'I have a good job and a wedding in six weeks.'],
      ['Rosa', 'You could start before the wedding, in three weeks.'],
      ['me', 'I would want Fridays free for the cello.'],
      ['Rosa', 'Fridays are yours.'],
    ],
  },
  {
    daysAgo: 41,
    turns: [
      ['Priya', 'What happened to the top floor of the cake?'],
      ['me', 'Biscuit happened to the top floor of the cake.'],
      ['Priya', 'I baked a second one, it is in your freezer.'],
      ['me', 'We eat it on our first anniversary.'],
    ],
  },
  {
    daysAgo: 8,
    project: 'work',
    turns: [
      ['me', 'The board wants to see the demonstration on Friday.'],
      ['Assistant', 'Which place shows the change best?'],
      ['me', 'Scapa Flow, the last storm took a third of the meadow.'],
      ['Assistant', 'Show the two pictures one above the other, with the same colours.'],
      ['me', 'Yuki Tanabe has photographs from under water as well.'],
    ],
  },
]

/** Asked after the year is stored, so that some memories are used more than others. */
export const questions: readonly string[] = [
  'Where do I live?',
  'Where do I work?',
  'Who is my husband?',
  'What does Biscuit like?',
  'Which restaurant do I like?',
  'What am I allergic to?',
  'How is my knee?',
  'Which journey do I plan?',
  'Who works at Tidepool?',
  'How accurate is Posidonia?',
]
