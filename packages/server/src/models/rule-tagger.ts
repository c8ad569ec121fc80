/**
 * The first tagger: lexicons, capitals and patterns. It reads English, prefers silence to a wrong
 * relationship, and takes nothing from questions, conditions and hearsay.
 */
import { type EntityMention, nameKey } from '../core/entity.js'
import { Cast } from './fact-cast.js'
import { FactReader } from './fact-reader.js'
import { givenNames } from './lexicon-names.js'
import { ordinaryWords } from './lexicon-words.js'
import type { Tagged, Tagger } from './models.js'
import { namesIn } from './tag-entities.js'
import { sentenceRanges, templateOf } from './tag-template.js'

/** A memory is at most about a thousand characters; a longer text is tagged by its beginning. */
const longestText = 4_000
/** Reserved for templates: a text can't forge a mark. */
const markers = /[⟦⟧]/gu

export function ruleTagger(): Tagger {
  return { tag: (text, speaker) => new Tagging(text, speaker).result() }
}

/** The state of tagging one text; made and dropped by each call. */
class Tagging {
  private readonly sentences: readonly string[]
  private readonly cast: Cast
  private readonly facts: FactReader

  constructor(text: string, speaker: EntityMention) {
    const opened = openingSpeaker(text.slice(0, longestText).replace(markers, ' '), speaker)
    const { body } = opened
    this.sentences = sentenceRanges(body).map(({ start, end }) => body.slice(start, end).trim())
    this.cast = new Cast(opened.speaker, opened.named)
    this.facts = new FactReader(this.cast)
  }

  result(): Tagged {
    const { sentences, cast, facts } = this
    const named = sentences.map((sentence) =>
      namesIn(sentence).flatMap((span) => {
        const index = cast.nodeOf(span)
        return index === null ? [] : [{ span, index }]
      }),
    )
    const people = cast.people()
    for (const [order, sentence] of sentences.entries()) {
      const only = people.length === 1 && people[0] !== undefined ? people[0] : null
      const template = templateOf(sentence, named[order] ?? [], only, cast.speaker !== null)
      // A question states nothing.
      if (/[?？]["'”’)]*$/u.test(sentence)) continue
      if (template.includes('⟦s⟧')) cast.sawSpeaker()
      facts.read(template)
    }
    return {
      entities: cast.entities(),
      relationships: [...facts.relationships.values()],
      slots: [...facts.slots.values()],
    }
  }
}

const machines = new Set(['assistant', 'system', 'tool', 'ai', 'bot', 'chatgpt', 'model'])
const speakers = new Set(['user', 'human', 'me'])

/** "Anna: I …" makes Anna the speaker; "Assistant: I …" speaks for nobody we keep facts about. */
function openingSpeaker(
  text: string,
  speaker: EntityMention,
): { body: string; speaker: EntityMention | null; named: boolean } {
  const match = /^\s*([\p{L}][\p{L}\p{M}\p{N}.'’-]*(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]*){0,3}): (?=\S)/u.exec(text)
  const name = match?.[1]
  if (!match || !name) return { body: text, speaker, named: false }
  const body = text.slice(match[0].length)
  const key = nameKey(name)
  if (machines.has(key)) return { body, speaker: null, named: false }
  if (speakers.has(key)) return { body, speaker, named: false }
  if (key === speaker.key) return { body, speaker, named: true }
  const first = key.split(' ')[0] ?? ''
  const unknown =
    /^\p{Lu}\p{Ll}+$/u.test(name) && !ordinaryWords.has(first) && /^(?:I|My|We|Our)(?![\p{L}])/u.test(body)
  if (!givenNames.has(first) && !unknown) return { body: text, speaker, named: false }
  return { body, speaker: { name, type: 'PERSON', key, aliases: [] }, named: true }
}
