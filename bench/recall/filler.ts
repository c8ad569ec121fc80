/**
 * Two thousand things that a user also mentioned: acquaintances, films, weather, purchases, articles. None of them
 * answers a question of the suite. Generated, because only their number and kind matter.
 */

import type { Document } from '../quality/task.js'
import { pick, type Random, random } from '../random.js'

const seed = 20_260
export const fillerCount = 2_000
const spreadMs = 300 * 86_400_000

const lists = {
  who: [
    'Gareth from accounts',
    'the woman at the post office',
    'old Mr Pritchard',
    'Leonie',
    'my cousin Bart',
    'the postman',
    'Sunniva',
    'that couple from the ferry',
    'Ignatius',
    'the new receptionist',
    'Wilhelmina',
    'our neighbour across the road',
    'Teodora',
    'the chap from the tyre place',
    'Bartholomew',
    'the girl at the till',
    'Ottokar',
    'my old classmate Ludo',
    'the librarian',
    'Xanthe',
    'the bloke with the parrot',
    'Zebedee',
    'my godmother',
    'the lady from the bank',
  ],
  thing: [
    'a canoe',
    'an accordion',
    'a garden shed',
    'a telescope',
    'a vintage typewriter',
    'a hammock',
    'a pressure washer',
    'a set of juggling clubs',
    'an inflatable kayak',
    'a weather station',
    'a record player',
    'a beehive stand',
    'a paddleboard',
    'a chess computer',
    'a sewing machine',
    'a metal detector',
    'a ukulele',
    'a wood stove',
    'a drone',
    'a leather armchair',
  ],
  place: [
    'Ghent',
    'Aberystwyth',
    'the Faroe Islands',
    'Ljubljana',
    'Whitby',
    'Cádiz',
    'the Black Forest',
    'Tallinn',
    'Bergen',
    'Corfu',
    'Salzburg',
    'the Isle of Mull',
    'Porto',
    'Kraków',
    'Lake Balaton',
    'Marrakesh',
    'Reykjavík',
    'the Dolomites',
    'Galway',
    'Split',
  ],
  film: [
    'a documentary about deep sea squid',
    'that heist film with the two brothers',
    'a black and white western',
    'the new season of the lighthouse series',
    'a film about a chess prodigy',
    'an old musical',
    'a quiz show from the eighties',
    'a cartoon about moles',
    'the football highlights',
    'a programme on restoring tractors',
    'a Danish crime series',
    'the snooker final',
    'a cooking contest for grandparents',
    'a film about the moon landing',
    'a nature film on otters',
  ],
  subject: [
    'volcanoes under the ice',
    'the history of the umbrella',
    'how glass bottles are sorted',
    'migrating cranes',
    'tidal power',
    'why concrete cracks',
    'medieval beekeeping',
    'the price of olive oil',
    'lost luggage auctions',
    'octopus camouflage',
    'the longest railway tunnel',
    'urban foxes',
    'the return of vinyl',
    'lithium mines',
    'a museum of locks',
    'seed banks',
    'airships',
    'the origin of the potato',
    'satellite debris',
    'forgotten alphabets',
  ],
  weather: [
    'drizzle all morning',
    'a proper thunderstorm',
    'fog so thick you could slice it',
    'the first warm evening',
    'hail the size of peas',
    'a double rainbow over the car park',
    'wind that took the neighbour’s parasol',
    'frost on the windscreen',
    'sticky heat',
    'snow that melted by noon',
  ],
  day: [
    'Monday',
    'Tuesday',
    'Wednesday',
    'Thursday',
    'Friday',
    'Saturday',
    'Sunday',
    'the weekend',
    'the bank holiday',
  ],
  event: [
    'the street party',
    'the quiz night',
    'the flea market',
    'the charity raffle',
    'the open air theatre',
    'the model boat regatta',
    'the village fête',
    'the pumpkin weighing',
    'the book swap',
    'the lantern parade',
    'the vintage car rally',
    'the poetry slam',
  ],
  outcome: [
    'was rained off',
    'ran an hour late',
    'was packed',
    'raised a tidy sum',
    'ended with a singalong',
    'was moved to the hall',
    'had a brass band',
    'was better than last time',
    'nearly ended in a fight',
    'was over by nine',
  ],
  count: ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'eleven', 'twelve', 'fifteen', 'twenty', 'forty'],
  road: [
    'the ring road',
    'the bridge',
    'the high street',
    'the coast road',
    'junction 11',
    'the underpass',
    'the level crossing',
  ],
  animal: [
    'a heron',
    'a hedgehog',
    'two deer',
    'a kingfisher',
    'a stray peacock',
    'a fat pigeon',
    'a bat',
    'a slow worm',
    'an owl',
  ],
}
type List = keyof typeof lists

const templates = [
  '{who} bought {thing} and hasn’t used it since {day}',
  '{who} is back from {place} and talks of nothing else',
  'watched {film} on {day}, fell asleep before the end',
  'read a long piece about {subject}, surprisingly gripping',
  'saw {animal} by {road} on {day}',
  '{event} {outcome}, {who} was there as well',
  'roadworks on {road} again, {count} weeks they say',
  '{weather} on {day}, cleared up later',
  '{who} recommends a podcast on {subject}',
  'somebody left {thing} on the pavement with a note saying free',
  '{who} wants to move to {place} and open a museum about {subject}',
  'queued behind {who} for {count} minutes on {day}',
  'apparently {who} won {thing} at {event}',
  'the paper had {count} pages on {subject} this time',
  '{who} says {film} is overrated',
  'a tour group from {place} blocked {road}',
  'there’s a talk on {subject} next month, {who} is giving it',
  '{who} is selling {thing}, {count} hundred or nearest offer',
  'listened to {count} episodes about {subject} while ironing',
  '{weather} in {place}, according to {who}',
]

/** All of them, the last one shortly before `end`. */
export function fillerUntil(end: number): Document[] {
  return fillerTexts().map((content, index) => ({
    key: `filler-${index}`,
    session: `filler-${Math.floor(index / 10)}`,
    content,
    before: null,
    createdAt: Math.round(end - spreadMs + (spreadMs * index) / fillerCount),
  }))
}

/** Distinct, and the same in every run. */
export function fillerTexts(): string[] {
  const next = random(seed)
  const texts = new Set<string>()
  while (texts.size < fillerCount) texts.add(textFrom(next))
  return [...texts]
}

function textFrom(next: Random): string {
  // Every name between braces in a template is a list.
  return pick(next, templates).replace(/\{(\w+)\}/g, (_, name: string) => pick(next, lists[name as List]))
}
