/**
 * The first tagger: lexicons, capitals and patterns. It reads English, prefers silence to a wrong
 * relationship, and takes nothing from questions, conditions and hearsay.
 */
import {
  type EntityMention,
  type EntityType,
  nameKey,
  type RelationshipFound,
  type RelationshipType,
  type Slot,
} from '../core/entity.js'
import { givenNames } from './lexicon-names.js'
import { regions } from './lexicon-places.js'
import { ordinaryWords } from './lexicon-words.js'
import { mergedNames } from './merge-names.js'
import type { Tagged, Tagger } from './models.js'
import { relationsRead } from './neural-relations.js'
import { attributesIn } from './tag-attributes.js'
import type { NameSpan } from './tag-entities.js'
import { phrasesIn } from './tag-phrase.js'
import type { Reading } from './tag-reading.js'
import { type RelationPattern, relationPatterns, tastePatterns } from './tag-relations.js'
import { sentenceRanges, type TemplateName, templateOf } from './tag-template.js'

const exclusiveTypes: ReadonlySet<RelationshipType> = new Set([
  'WORKS_AT',
  'LIVES_IN',
  'BORN_IN',
  'SPOUSE_OF',
  'REPORTS_TO',
])
/** A memory is at most about a thousand characters; a longer text is tagged by its beginning. */
const longestText = 4_000
/** Reserved for templates: a text can't forge a mark. */
const markers = /[⟦⟧]/gu
const unsaid =
  /(?<![\p{L}])(?:thinks?|thought|believes?|believed|says?|said|hears?|heard|claims?|claimed|tells?|told|guess(?:es)?|suppos(?:e|es|ing)|assum(?:e|es|ing)|rumou?rs?|apparently|allegedly|supposedly|reportedly|maybe|perhaps|possibly|probably|wonders?|wondering|doubts?|hopes?|hoping|wish(?:es)?|wants?|wanted|imagine|pretends?|dreams?|dreamed|if|unless|whether|according to|asks?|asked|suggests?|would|might|could|should|until)(?![\p{L}])/u

/** What was, or is not so: the model is not asked about such sentences. */
const denied =
  /(?<![\p{L}])(?:not|never|no longer|used to|former|formerly|ex|once|previously|left|quit|fired|divorced|late|n['’]t)(?![\p{L}])|n['’]t(?![\p{L}])/u

const ofLiving =
  /(?<![\p{L}])(?:liv(?:e|es|ed|ing)|resid\p{L}*|home|house|flat|apartment|settled?|grew up|based|inhabitants?)(?![\p{L}])/u

export function ruleTagger(): Tagger {
  return { tag: async (items) => items.map(({ text, speaker }) => new Tagging(text, speaker).result()) }
}

/** Whether what stands at this place of a template is not stated as a fact. */
type Unsaid = (at: number) => boolean

interface Node {
  name: string
  key: string
  type: EntityType
  sure: boolean
  aliases: string[]
}

/** The state of tagging one text; made and dropped by each call. */
export class Tagging {
  readonly sentences: readonly string[]
  private readonly nodes: Node[] = []
  private readonly relationships = new Map<string, RelationshipFound>()
  private readonly slots = new Map<string, Slot>()
  private readonly speaker: EntityMention | null
  private speakerSeen: boolean

  constructor(text: string, speaker: EntityMention) {
    const opened = openingSpeaker(text.slice(0, longestText).replace(markers, ' '), speaker)
    const { body } = opened
    this.sentences = sentenceRanges(body).map(({ start, end }) => body.slice(start, end).trim())
    this.speaker = opened.speaker
    this.speakerSeen = opened.named
  }

  /** `readings`: what the model found in each sentence; without them rules alone decide. */
  result(readings?: readonly Reading[]): Tagged {
    const { sentences } = this
    const named = sentences.map((sentence, order) =>
      mergedNames(sentence, readings?.[order]?.spans).flatMap((span) => {
        const index = this.nodeOf(span)
        return index === null ? [] : [{ span, index }]
      }),
    )
    const people = this.nodes.flatMap((node, index) => (node.type === 'PERSON' ? [index] : []))
    for (const [order, sentence] of sentences.entries()) {
      const names = named[order] ?? []
      const only = people.length === 1 && people[0] !== undefined ? people[0] : null
      const template = templateOf(sentence, names, only, this.speaker !== null)
      if (!template.includes('⟦') || /[?？]["'”’)]*$/u.test(sentence)) continue
      if (template.includes('⟦s⟧')) this.speakerSeen = true
      const parts = unsaidParts(template)
      const isUnsaid = (at: number) => parts.some(({ start, end }) => at > start && at < end)
      this.readRelations(template, isUnsaid)
      this.readTastes(template, isUnsaid)
      this.readAttributes(template, isUnsaid)
      this.readPlaces(template)
      const reading = readings?.[order]
      if (reading) this.addRead(reading, names, template)
    }
    return {
      entities: this.entities(),
      relationships: [...this.relationships.values()],
      slots: [...this.slots.values()],
    }
  }

  private entities(): EntityMention[] {
    const mentions = new Map<string, EntityMention>()
    if (this.speaker && this.speakerSeen) mentions.set(this.speaker.key, this.speaker)
    for (const { name, key, type, aliases } of this.nodes)
      if (!mentions.has(key)) mentions.set(key, { name, key, type, aliases })
    return [...mentions.values()]
  }

  /** Index of the node for a name; "John" after "John Smith" is the same one. */
  private nodeOf(span: NameSpan): number | null {
    const key = nameKey(span.name)
    if (key === '') return null
    const known = this.nodes.findIndex(
      (node) =>
        node.key === key || (node.type === 'PERSON' && span.type === 'PERSON' && node.key.startsWith(`${key} `)),
    )
    const node = this.nodes[known]
    if (!node) return this.nodes.push({ name: span.name, key, type: span.type, sure: span.sure, aliases: [] }) - 1
    if (span.sure && !node.sure && node.key === key) Object.assign(node, { type: span.type, sure: true })
    if (node.name !== span.name && !node.aliases.includes(span.name)) node.aliases.push(span.name)
    return known
  }

  private readRelations(template: string, isUnsaid: Unsaid): void {
    for (const relation of relationPatterns) {
      for (const match of template.matchAll(relation.pattern)) {
        if (!relation.presupposed && isUnsaid(match.index)) continue
        const { s, t, detail } = match.groups ?? {}
        if (s === undefined || t === undefined || s === t) continue
        if (!this.fits(s, relation.source) || !this.fits(t, relation.target)) continue
        this.settle(s, relation.source)
        this.settle(t, relation.target)
        this.relate(relation.type, s, t, propertiesOf(relation, detail))
      }
    }
  }

  private readTastes(template: string, isUnsaid: Unsaid): void {
    for (const { type, pattern, relation } of tastePatterns) {
      for (const match of template.matchAll(pattern)) {
        const source = match.groups?.s
        if (source === undefined || isUnsaid(match.index) || !this.fits(source, ['PERSON'])) continue
        for (const phrase of phrasesIn(
          template.slice(match.index + match[0].length),
          (index) => this.nodes[index]?.name ?? '',
        )) {
          const target = phrase.kind === 'name' ? String(phrase.index) : this.conceptOf(phrase.text)
          if (target !== null && target !== source)
            this.relate(type, source, target, relation === undefined ? {} : { relation })
        }
      }
    }
  }

  private readAttributes(template: string, isUnsaid: Unsaid): void {
    const nameOf = (index: number) => ({
      name: this.nodes[index]?.name ?? '',
      person: this.nodes[index]?.type === 'PERSON' && this.nodes[index]?.sure === true,
    })
    for (const { owner, attribute, value, start, liked } of attributesIn(template, nameOf)) {
      const ownerKey = this.keyOf(owner)
      if (ownerKey === null || ownerKey === nameKey(value) || isUnsaid(start)) continue
      const slot = `ATTR|${ownerKey}|${attribute}`
      this.slots.set(slot, { slot, value })
      if (!liked || value.split(' ').length > 4) continue
      const node = this.nodes.findIndex(({ key }) => key === nameKey(value))
      const target = node >= 0 ? String(node) : this.conceptOf(value)
      if (target !== null && target !== owner) this.relate('LIKES', owner, target, {}, true)
    }
  }

  /** "Berlin, Germany" */
  private readPlaces(template: string): void {
    for (const match of template.matchAll(
      /⟦(\d+)⟧, ⟦(\d+)⟧(?!'s| (?!and|with|for|on|in|where|is|but|or|from|to|at|by|when|since|last|this|near|as)\p{Ll})/gu,
    )) {
      const [inner, outer] = [this.nodes[Number(match[1])], this.nodes[Number(match[2])]]
      if (inner?.type !== 'LOCATION' || outer?.type !== 'LOCATION' || inner === outer) continue
      if (regions.has(outer.name.toLowerCase()) && !regions.has(inner.name.toLowerCase()))
        this.relate('LOCATED_IN', match[1] ?? '', match[2] ?? '', {})
    }
  }

  /** The model's relations, where rules found none between the two. A guess replaces nothing, so it gets no slot. */
  private addRead(reading: Reading, names: readonly TemplateName[], template: string): void {
    if (unsaid.test(template) || denied.test(template)) return
    const markOf = ({ end }: { readonly end: number }) => names.find(({ span }) => span.end === end)?.index
    for (const { type, source, target } of relationsRead(reading)) {
      // The model takes a journey for a home; a word of living must be there.
      if (type === 'LIVES_IN' && !ofLiving.test(template)) continue
      const [from, to] = [markOf(source), markOf(target)]
      if (from === undefined || to === undefined || from === to) continue
      const [sourceKey, targetKey] = [this.nodes[from]?.key, this.nodes[to]?.key]
      const isKnown = [...this.relationships.values()].some(
        (known) =>
          (known.sourceKey === sourceKey && known.type === type) ||
          (known.sourceKey === sourceKey && known.targetKey === targetKey) ||
          (known.sourceKey === targetKey && known.targetKey === sourceKey),
      )
      if (isKnown || sourceKey === undefined || targetKey === undefined) continue
      const id = `${type}|${sourceKey}|${targetKey}`
      this.relationships.set(id, { sourceKey, targetKey, type, properties: {}, exclusive: false })
    }
  }

  private conceptOf(text: string): string | null {
    const key = nameKey(text)
    if (key.length < 2) return null
    const known = this.nodes.findIndex((node) => node.key === key)
    if (known >= 0) return String(known)
    return String(this.nodes.push({ name: text, key, type: 'CONCEPT', sure: true, aliases: [] }) - 1)
  }

  private keyOf(mark: string): string | null {
    return mark === 's' ? (this.speaker?.key ?? null) : (this.nodes[Number(mark)]?.key ?? null)
  }

  /** True if the mark is one of the types, or is a guess that gives way. */
  private fits(mark: string, types: readonly EntityType[]): boolean {
    if (mark === 's') return this.speaker !== null && types.includes('PERSON')
    const node = this.nodes[Number(mark)]
    if (!node) return false
    // A guessed organisation is an acronym: no verb makes it a person.
    return types.includes(node.type) || (!node.sure && !(node.type === 'ORG' && types.includes('PERSON')))
  }

  /** A relationship that holds settles what was a guess. */
  private settle(mark: string, types: readonly EntityType[]): void {
    const node = this.nodes[Number(mark)]
    const [wanted] = types
    if (!node || !wanted || node.sure) return
    if (!types.includes(node.type)) node.type = wanted
    node.sure = true
  }

  private relate(
    type: RelationshipType,
    source: string,
    target: string,
    properties: Record<string, string>,
    implied = false,
  ): void {
    const sourceKey = this.keyOf(source)
    const targetKey = this.keyOf(target)
    if (sourceKey === null || targetKey === null || sourceKey === targetKey) return
    if (source === 's' || target === 's') this.speakerSeen = true
    const id = `${type}|${sourceKey}|${targetKey}`
    const exclusive = exclusiveTypes.has(type)
    const known = this.relationships.get(id)
    this.relationships.set(id, {
      sourceKey,
      targetKey,
      type,
      properties: { ...known?.properties, ...properties },
      exclusive,
    })
    // What an attribute implies is replaced with the attribute.
    if (implied) return
    // A fact beside others has a slot of its own too: a memory that holds it is not replaced by one that does not.
    const slot = exclusive ? { slot: `${type}|${sourceKey}`, value: targetKey } : { slot: `HOLDS|${id}`, value: 'yes' }
    this.slots.set(slot.slot, slot)
  }
}

/** The parts of a template that are asked, heard or supposed: from such a word to the end of its clause. */
function unsaidParts(template: string): { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = []
  let clauseStart = 0
  for (const clause of template.split(/(?<=; | but )/u)) {
    const word = clause.search(unsaid)
    if (word >= 0) parts.push({ start: clauseStart + word, end: clauseStart + clause.length })
    clauseStart += clause.length
  }
  return parts
}

function propertiesOf(relation: RelationPattern, detail: string | undefined): Record<string, string> {
  return relation.detail === undefined || detail === undefined ? {} : { [relation.detail]: detail.toLowerCase() }
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
