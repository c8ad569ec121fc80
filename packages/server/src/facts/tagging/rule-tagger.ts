/**
 * The rule-based tagger: lexicons, capitals and patterns. It reads English, prefers no relationship to a wrong one, and
 * ignores questions, conditions and hearsay. In other languages only the model's names count.
 */

import { type EntityMention, nameKey } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'
import { givenNames } from '../../language/names/given-names.js'
import { nameKind } from '../../language/names/speaker-name.js'
import { isEnglish } from '../../language/words/is-english.js'
import { isForeign } from '../../language/words/is-foreign.js'
import type { Tagged, Tagger } from '../../models/models.js'
import type { Reading } from '../../models/tagger/tag-reading.js'
import { Cast } from '../rules/cast.js'
import { FactReader } from '../rules/reader.js'
import { sentenceRanges, type TemplateName, templateOf } from '../rules/template.js'
import { foreignNames, withoutGenitive } from './foreign-names.js'
import { mergedNames } from './merge-names.js'
import { relationsRead } from './neural-relations.js'

/** A memory has at most about a thousand characters; of a longer text only the beginning is tagged. */
const longestText = 4_000
/** Reserved for templates, so that a text can't forge a mark. */
const markers = /[⟦⟧]/gu

/** Questions, hearsay and suppositions. */
const unsaid = new RegExp(
  pattern`
    (?<![\p{L}])(?:thinks?|thought|believes?|believed|says?|said|hears?|heard|claims?|claimed|tells?|told
    |guess(?:es)?|suppos(?:e|es|ing)|assum(?:e|es|ing)|rumou?rs?|apparently|allegedly|supposedly|reportedly|maybe
    |perhaps|possibly|probably|wonders?|wondering|doubts?|hopes?|hoping|wish(?:es)?|wants?|wanted|imagine|pretends?
    |dreams?|dreamed|if|unless|whether|according to|asks?|asked|suggests?|would|might|could|should|until)(?![\p{L}])
  `,
  'u',
)

/** Statements about the past, and denials: the model is not used for such sentences. */
const denied =
  /(?<![\p{L}])(?:not|never|no longer|used to|former|formerly|ex|once|previously|left|quit|fired|divorced|late|n['’]t)(?![\p{L}])|n['’]t(?![\p{L}])/u

const ofLiving =
  /(?<![\p{L}])(?:liv(?:e|es|ed|ing)|resid\p{L}*|home|house|flat|apartment|settled?|grew up|based|inhabitants?)(?![\p{L}])/u

/** The model does not tell couples from spouses. */
const unmarried =
  /(?<![\p{L}])(?:engage\p{L}*|fianc[ée]e?s?|dating|date[sd]?|girlfriend|boyfriend|propos\p{L}*|going out)(?![\p{L}])/u

export function ruleTagger(): Tagger {
  return { tag: async (items) => items.map(tagged) }
}

/** A text with the model's findings per sentence, if there are any. */
export interface ReadText {
  readonly text: string
  /** The person who says "I". */
  readonly speaker: EntityMention
  readonly readings?: readonly Reading[]
}

export function tagged({ text, speaker, readings }: ReadText): Tagged {
  return new Tagging(text, speaker).result(readings)
}

/** The state of tagging one text; one per call. */
export class Tagging {
  readonly sentences: readonly string[]
  /** Per sentence: rules for English must not read it. */
  private readonly foreign: readonly boolean[]
  private readonly cast: Cast
  private readonly facts: FactReader

  constructor(text: string, speaker: EntityMention) {
    const opened = openingSpeaker(text.slice(0, longestText).replace(markers, ' '), speaker)
    const { body } = opened
    this.sentences = sentenceRanges(body).map(({ start, end }) => body.slice(start, end).trim())
    const whole = isForeign(body)
    this.foreign = this.sentences.map((sentence) => isForeign(sentence) || (whole && !isEnglish(sentence)))
    this.cast = new Cast(opened.speaker, opened.named)
    this.facts = new FactReader(this.cast)
  }

  /** `readings`: the model's findings per sentence; without them rules alone decide. */
  result(readings?: readonly Reading[]): Tagged {
    const { sentences, cast, facts, foreign } = this
    const spans = sentences.map((sentence, order) => {
      const seen = readings?.[order]?.spans
      return foreign[order] ? foreignNames(sentence, seen) : mergedNames(sentence, seen)
    })
    const words = new Set(spans.flatMap((found) => found.flatMap(({ name }) => name.split(' '))))
    const named = spans.map((found, order) =>
      (foreign[order] ? found.map((span) => withoutGenitive(span, words)) : found).flatMap((span) => {
        const index = cast.nodeOf(span)
        return index === null ? [] : [{ span, index }]
      }),
    )
    const people = cast.people()
    for (const [order, sentence] of sentences.entries()) {
      if (foreign[order]) continue
      const only = people.length === 1 && people[0] !== undefined ? people[0] : null
      const names = named[order] ?? []
      const template = templateOf(sentence, names, only, cast.speaker !== null)
      // A question states nothing.
      if (/[?？]["'”’)]*$/u.test(sentence)) continue
      if (template.includes('⟦s⟧')) cast.sawSpeaker()
      facts.read(template)
      const reading = readings?.[order]
      if (reading) this.addRead(reading, names, template)
    }
    const relationships = [...facts.relationships.values()]
    const related = new Set(relationships.flatMap(({ sourceKey, targetKey }) => [sourceKey, targetKey]))
    return {
      entities: cast.entities(related),
      relationships,
      slots: [...facts.slots.values()],
    }
  }

  /**
   * Adds the model's relations between pairs for which the rules found none. A guess replaces nothing, so it gets no
   * slot.
   */
  private addRead(reading: Reading, names: readonly TemplateName[], template: string): void {
    const { cast, facts } = this
    if (unsaid.test(template) || denied.test(template)) return
    const keyOf = ({ start, end }: { readonly start: number; readonly end: number }) => {
      const index = names.find(({ span }) => span.start < end && start < span.end)?.index
      return index === undefined ? null : cast.keyOf(String(index))
    }
    for (const { type, source, target } of relationsRead(reading)) {
      if (type === 'SPOUSE_OF' && unmarried.test(template)) continue
      // The model mistakes a journey for a home, so a word about living is required.
      if (type === 'LIVES_IN' && !ofLiving.test(template)) continue
      const [sourceKey, targetKey] = [keyOf(source), keyOf(target)]
      if (sourceKey === null || targetKey === null || sourceKey === targetKey) continue
      const isKnown = [...facts.relationships.values()].some(
        (known) =>
          (known.sourceKey === sourceKey && known.type === type) ||
          (known.sourceKey === sourceKey && known.targetKey === targetKey) ||
          (known.sourceKey === targetKey && known.targetKey === sourceKey),
      )
      if (isKnown) continue
      const id = `${type}|${sourceKey}|${targetKey}`
      facts.relationships.set(id, { sourceKey, targetKey, type, properties: {}, exclusive: false })
    }
  }
}

const machines = new Set(['assistant', 'system', 'tool', 'ai', 'bot', 'chatgpt', 'model'])
const speakers = new Set(['user', 'human', 'me'])

/** "Anna: I …" makes Anna the speaker; "Assistant: I …" is nobody we keep facts about. */
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
  const unknown = nameKind(name) === 'name' && /^(?:I|My)(?![\p{L}])/u.test(body)
  if (!givenNames.has(first) && !unknown) return { body: text, speaker, named: false }
  return { body, speaker: { name, type: 'PERSON', key, aliases: [] }, named: true }
}
