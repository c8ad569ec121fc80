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
  symmetricalTypes,
} from '../core/entity.js'
import { givenNames } from './lexicon-names.js'
import { regions } from './lexicon-places.js'
import { ordinaryWords } from './lexicon-words.js'
import type { Tagged, Tagger } from './models.js'
import { attributesIn } from './tag-attributes.js'
import { type Clause, clausesOf } from './tag-clauses.js'
import { putPartner, readEndings } from './tag-endings.js'
import { type NameSpan, namesIn } from './tag-entities.js'
import { markUnnamed, namesakes } from './tag-people.js'
import { phrasesIn } from './tag-phrase.js'
import { readPlans } from './tag-plans.js'
import { phraseKey, type Reading } from './tag-reading.js'
import { type RelationPattern, relationPatterns, tastePatterns } from './tag-relations.js'
import { readNames } from './tag-renames.js'
import { readStatement } from './tag-statements.js'
import { sentenceRanges, templateOf } from './tag-template.js'
import { isLight, stem } from './tag-words.js'

/** One has one of these at a time. */
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

export function ruleTagger(): Tagger {
  return { tag: (text, speaker) => new Tagging(text.slice(0, longestText).replace(markers, ' '), speaker).result() }
}

interface Node {
  name: string
  key: string
  type: EntityType
  sure: boolean
  aliases: string[]
  /** "My sister": someone, but no entity of its own. */
  unnamed?: boolean
}

/** Half-open range of a clause that a rule has read. */
type Span = readonly [start: number, end: number]

/** The state of tagging one text; made and dropped by each call. */
class Tagging {
  private readonly nodes: Node[] = []
  private readonly relationships = new Map<string, RelationshipFound>()
  private readonly slots = new Map<string, Slot>()
  private readonly body: string
  private readonly speaker: EntityMention | null
  private speakerSeen: boolean
  /** Slots of rules that only back up what a closer rule has read are not kept. */
  private backingUp = false

  constructor(text: string, speaker: EntityMention) {
    const opened = openingSpeaker(text, speaker)
    this.body = opened.body
    this.speaker = opened.speaker
    this.speakerSeen = opened.named
  }

  result(): Tagged {
    const sentences = sentenceRanges(this.body).map(({ start, end }) => this.body.slice(start, end).trim())
    const named = sentences.map((sentence) =>
      namesIn(sentence).flatMap((span) => {
        const index = this.nodeOf(span)
        return index === null ? [] : [{ span, index }]
      }),
    )
    const people = this.nodes.flatMap((node, index) => (node.type === 'PERSON' ? [index] : []))
    for (const [order, sentence] of sentences.entries()) {
      const names = named[order] ?? []
      const only = people.length === 1 && people[0] !== undefined ? people[0] : null
      const plain = templateOf(sentence, names, only, this.speaker !== null)
      if (plain.includes('⟦s⟧')) this.speakerSeen = true
      if (/[?？]["'”’)]*$/u.test(sentence)) continue
      this.readNamesakes(plain)
      const template = markUnnamed(plain, (owner, words, single) => this.unnamed(owner, words, single))
      for (const clause of clausesOf(template)) this.readClause(clause)
      this.readPlaces(plain)
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
    for (const { name, key, type, aliases, unnamed } of this.nodes)
      if (!unnamed && !mentions.has(key)) mentions.set(key, { name, key, type, aliases })
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

  /** Mark of someone who is told by what they are to others. A leading `~`: there may be several such; `~~`: there are. */
  private unnamed(owner: string, words: string, single: boolean): string | null {
    const ownerKey = this.keyOf(owner)
    if (ownerKey === null) return null
    const several = /(?:friend|colleague|co-?worker|neighbou?r|cousin|classmate|teammate|student|client|buddy)s?$/u.test(words)
    const key = `${single ? '' : several ? '~~' : '~'}${ownerKey}'s ${words.replace(/^new /u, '')}`
    const known = this.nodes.findIndex((node) => node.key === key)
    if (known >= 0) return String(known)
    return String(this.nodes.push({ name: words, key, type: 'PERSON', sure: true, aliases: [], unnamed: true }) - 1)
  }

  private readNamesakes(template: string): void {
    for (const { mark, owner, words } of namesakes(template)) {
      const key = this.keyOf(mark)
      const whose = owner === null ? '' : `${this.keyOf(owner) ?? ''}'s `
      if (key !== null) this.put({ slot: `WHO|${key}`, value: whose + words })
    }
  }

  private readClause(clause: Clause): void {
    const reading: Reading = {
      clause,
      keyOf: (mark) => this.keyOf(mark),
      isA: (mark, type) => this.fits(mark, [type]),
      slot: (slot) => this.put(slot),
      relate: (type, source, target, holds, change) =>
        this.relate(type, source, target, {}, { holds, change: change ?? clause.change }),
    }
    const spans: Span[] = []
    this.readRelations(reading, spans, true)
    const granted = spans.length
    const ended = readEndings(reading)
    if (!ended) {
      this.readRelations(reading, spans, false)
      this.readTastes(reading, spans)
      this.readAttributes(reading, spans)
    }
    const told = ended || spans.length > granted
    const read = ended || (!told && (readNames(reading) || readPlans(reading)))
    // A rule that reads any sentence adds what may meet what another sentence says ("have a dog").
    this.backingUp = told || read
    const stated = readStatement(reading)
    this.backingUp = false
    if (!read) this.readRest(reading, spans, stated && !told)
  }

  /** What no rule has read: as long as another memory does not say it too, this one stays. */
  private readRest(reading: Reading, spans: readonly Span[], allRead: boolean): void {
    const { clause } = reading
    // "It bores me to death" is a comment on what stands before it.
    if (/^(?:it|this|that|they|he|she)(?:'s)? /u.test(clause.whole) && !/⟦\d|\d/u.test(clause.whole)) return
    const rest = allRead && !clause.unsaid ? '' : clause.unsaid ? clause.whole : leftOver(clause.stated, spans)
    const words = rest.match(/⟦(?:\d+|s)⟧(?:'s)?|[\p{L}\p{N}'-]+/gu) ?? []
    const heavy = words.filter((word) => !isLight(word) && word !== '⟦s⟧')
    const telling = words.some((word) => /^⟦\d+⟧/u.test(word) || word === "⟦s⟧'s")
    if (heavy.length < (spans.length > 0 ? 3 : 1) && !telling) return
    const key = phraseKey(reading, rest)
    if (key !== '') this.put({ slot: `SAYS|${key}`, value: 'yes' })
  }

  private readRelations(reading: Reading, spans: Span[], presupposed: boolean): void {
    const { clause } = reading
    const text = presupposed ? clause.whole : clause.stated
    for (const relation of relationPatterns) {
      if (relation.presupposed !== presupposed) continue
      for (const match of text.matchAll(relation.pattern)) {
        const { s, t, detail, wide } = match.groups ?? {}
        if (s === undefined || t === undefined || s === t) continue
        if (!this.fits(s, relation.source) || !this.fits(t, relation.target)) continue
        // Whom one knows without a name is nobody to tell apart.
        if (relation.type === 'KNOWS' && !presupposed && [s, t].some((mark) => this.nodes[Number(mark)]?.unnamed)) continue
        // "Lars is not my roommate anymore": the positive form has it too, and says that it is over.
        if (presupposed && clause.holds !== 'yes' && !text.includes("⟧'s")) continue
        this.settle(s, relation.source)
        this.settle(t, relation.target)
        const negated = !presupposed || isCopula(match[0])
        const romance = /(?<![\p{L}])(?:girlfriend|boyfriend|partner|fianc[ée]+)(?![\p{L}])/u.exec(match[0])?.[0]
        const pet = /(?:dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster|boat)(?= |'s|,)/u.exec(match[0])?.[0]
        this.relate(relation.type, s, t, { ...propertiesOf(relation, detail), ...periodOf(clause) }, {
          slotless: romance !== undefined || (pet !== undefined && relation.type === 'OWNS'),
          holds: negated && clause.holds !== 'yes' ? clause.holds : relation.over ? 'over' : undefined,
          change: clause.change || relation.change === true,
          match: match[0],
          wide,
        })
        const [first, second] = [this.keyOf(s), this.keyOf(t)]
        if (romance && first !== null && second !== null)
          putPartner(reading, first, second, romance.startsWith('fianc') ? 'engaged' : 'dating', clause.change)
        // Pets may be several, and are told by what they are called.
        if (pet && relation.type === 'OWNS' && second !== null)
          this.put({ slot: `SOME|the ${stem(pet)}|name`, value: second, change: clause.change })
        const at = presupposed ? clause.stated.indexOf(match[0]) : match.index
        if (at >= 0) spans.push([at, at + match[0].length])
      }
    }
  }

  private readTastes(reading: Reading, spans: Span[]): void {
    const { clause } = reading
    for (const { type, pattern, relation } of tastePatterns) {
      for (const match of clause.stated.matchAll(pattern)) {
        const source = match.groups?.s
        if (source === undefined || !this.fits(source, ['PERSON'])) continue
        const rest = clause.stated.slice(match.index + match[0].length)
        const mild = /(?:like|enjoy|care for)s? $/u.test(match[0])
        const negated = clause.holds !== 'yes'
        for (const phrase of phrasesIn(rest, (index) => this.nodes[index]?.name ?? '')) {
          const target = phrase.kind === 'name' ? String(phrase.index) : this.conceptOf(phrase.text)
          if (target === null || target === source) continue
          const properties = relation === undefined ? {} : { relation }
          if (/ prefers? $/u.test(match[0])) this.prefer(reading, source, target, phrase.kind === 'name' ? `⟦${phrase.index}⟧` : phrase.text)
          else if (type === 'LIKES' && negated && mild) this.taste('DISLIKES', source, target, undefined)
          else if (type === 'LIKES' || type === 'DISLIKES') this.taste(type, source, target, negated ? clause.holds : undefined)
          else this.relate(type, source, target, properties, { holds: negated ? clause.holds : undefined, change: clause.change })
        }
        spans.push([match.index, clause.stated.length])
      }
    }
  }

  /** One prefers one thing at a time, once a text says that it is another now. */
  private prefer(reading: Reading, source: string, target: string, phrase: string): void {
    const { holds, change } = reading.clause
    if (holds === 'yes') this.relate('LIKES', source, target, {}, { slotless: true })
    this.put({
      slot: `SOME|${this.keyOf(source)}|prefer`,
      value: (holds === 'yes' ? '' : '!') + phraseKey(reading, phrase),
      change,
    })
  }

  /** Who likes a thing does not dislike it: one slot, and the other relationship ends. */
  private taste(type: 'LIKES' | 'DISLIKES', source: string, target: string, holds: Clause['holds'] | undefined): void {
    const [sourceKey, targetKey] = [this.keyOf(source), this.keyOf(target)]
    if (sourceKey === null || targetKey === null || sourceKey === targetKey) return
    this.relate(type, source, target, {}, { holds: holds === 'yes' ? undefined : holds, slotless: true })
    if (holds === undefined) this.relate(type === 'LIKES' ? 'DISLIKES' : 'LIKES', source, target, {}, { holds: 'denied', slotless: true })
    const liked = (type === 'LIKES') === (holds === undefined)
    this.put({ slot: `HOLDS|TASTE|${sourceKey}|${targetKey}`, value: liked ? 'yes' : 'no' })
  }

  private readAttributes(reading: Reading, spans: Span[]): void {
    const { clause } = reading
    const nameOf = (index: number) => ({
      name: this.nodes[index]?.name ?? '',
      person: this.nodes[index]?.type === 'PERSON' && this.nodes[index]?.sure === true,
    })
    for (const { owner, attribute, value, start, end, liked } of attributesIn(clause.stated, nameOf)) {
      const ownerKey = this.keyOf(owner)
      if (ownerKey === null || ownerKey === nameKey(value)) continue
      const negated = clause.holds !== 'yes'
      this.put({ slot: `ATTR|${ownerKey}|${attribute}`, value: negated ? `!${value}` : value, change: clause.change })
      spans.push([start, end])
      if (!liked || negated || value.split(' ').length > 4) continue
      const node = this.nodes.findIndex(({ key }) => key === nameKey(value))
      const target = node >= 0 ? String(node) : this.conceptOf(value)
      // What an attribute implies is replaced with the attribute.
      if (target !== null && target !== owner) this.relate('LIKES', owner, target, {}, { slotless: true })
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
        this.relate('LOCATED_IN', match[1] ?? '', match[2] ?? '', {}, { slotless: true })
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
    how: {
      readonly holds?: 'over' | 'denied' | undefined
      readonly change?: boolean
      readonly match?: string
      /** Mark of the country or state that the text names too. */
      readonly wide?: string | undefined
      /** Its slot is put elsewhere. */
      readonly slotless?: boolean
    },
  ): void {
    const [sourceKey, targetKey] = [this.keyOf(source), this.keyOf(target)]
    if (sourceKey === null || targetKey === null || sourceKey === targetKey) return
    if (source === 's' || target === 's') this.speakerSeen = true
    const inverse = type === 'MANAGES' && this.isPerson(target)
    const found = canonical(
      inverse ? { type: 'REPORTS_TO', sourceKey: targetKey, targetKey: sourceKey } : { type, sourceKey, targetKey },
    )
    const beside = /(?<![\p{L}])(?:also|as well|second job|side job|on the side)(?![\p{L}])/u.test(how.match ?? '')
    const vague = type === 'LIVES_IN' && this.isRegion(target) && !/moved|relocated|emigrated|immigrated|settled/u.test(how.match ?? '')
    const exclusive = exclusiveTypes.has(found.type) && !beside && !vague && how.holds === undefined
    const id = `${found.type}|${found.sourceKey}|${found.targetKey}`
    const people = [source, target].every((mark) => mark === 's' || !this.nodes[Number(mark)]?.unnamed)
    if (people) {
      const known = this.relationships.get(id)
      this.relationships.set(id, {
        ...found,
        properties: { ...known?.properties, ...properties },
        exclusive: exclusive || (type === 'STUDIES_AT' && how.change === true && /transferred/u.test(how.match ?? '')),
        ...(how.holds === undefined ? {} : { holds: how.holds }),
      })
    }
    if (how.slotless) return
    this.putRelation(found, properties, { ...how, beside, vague })
  }

  private putRelation(
    { type, sourceKey, targetKey }: Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'>,
    properties: Record<string, string>,
    {
      holds,
      change = false,
      beside,
      vague,
      wide: region,
    }: { holds?: string | undefined; change?: boolean; beside: boolean; vague: boolean; wide?: string | undefined },
  ): void {
    const no = holds === undefined ? '' : '!'
    if (type === 'LIVES_IN' && !beside) {
      // A town is more exact than its country, and a country leaves open which town.
      const wide = { slot: `LIVES_REGION|${sourceKey}`, value: vague ? no + targetKey : '*', change }
      const near = { slot: `LIVES_IN|${sourceKey}`, value: no + targetKey, change }
      this.put(vague ? wide : near)
      if (!vague && no === '') this.put({ ...wide, implied: true })
      const within = region === undefined ? null : this.keyOf(region)
      if (within !== null && no === '') this.put({ slot: wide.slot, value: within, change })
    } else if (exclusiveTypes.has(type) && !beside) {
      this.put({ slot: `${type}|${sourceKey}`, value: no + targetKey, change })
      if (type === 'SPOUSE_OF') {
        this.put({ slot: `SPOUSE_OF|${targetKey}`, value: no + sourceKey, implied: true })
        for (const [one, other] of [
          [sourceKey, targetKey],
          [targetKey, sourceKey],
        ]) {
          this.put({ slot: `PARTNER|${one}`, value: no === '' ? `married ${other}` : `!${other}`, implied: true })
          this.put({ slot: `ATTR|${one}|relationship status`, value: no === '' ? 'married' : '!married', implied: true })
        }
      }
    } else if (type === 'LOCATED_IN') {
      this.put({ slot: `SOME|${sourceKey}|seat`, value: no + targetKey, change })
    } else if (type === 'STUDIES_AT') {
      this.put({ slot: `SOME|${sourceKey}|school`, value: no + targetKey, change })
    } else {
      // A fact beside others has a slot of its own: a memory that holds it is not replaced by one that does not.
      const relation = type === 'KNOWS' && properties.relation ? `|${properties.relation}` : ''
      this.put({ slot: `HOLDS|${type}|${sourceKey}|${targetKey}${relation}`, value: no === '' ? 'yes' : 'no' })
    }
  }

  private isPerson(mark: string): boolean {
    return mark === 's' || this.nodes[Number(mark)]?.type === 'PERSON'
  }

  private isRegion(mark: string): boolean {
    return regions.has(this.nodes[Number(mark)]?.name.toLowerCase() ?? '')
  }

  private put(slot: Slot): void {
    const { change, implied, another } = slot
    const key = `${slot.slot}=${slot.value}`
    const kept = this.slots.get(key)
    const quiet = (implied || this.backingUp) && !(kept && !kept.implied)
    this.slots.set(key, {
      slot: slot.slot,
      value: slot.value,
      ...(change || kept?.change ? { change: true } : {}),
      ...(another && !change ? { another: true } : {}),
      ...(quiet ? { implied: true } : {}),
    })
  }
}

/** What is the same both ways round, or has an opposite, is kept one way: the speaker first, else by name; a boss last. */
function canonical(
  found: Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'>,
): Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'> {
  const { type, sourceKey, targetKey } = found
  if (!symmetricalTypes.has(type)) return found
  const swap = targetKey.startsWith('user:') || (!sourceKey.startsWith('user:') && targetKey < sourceKey)
  return swap ? { type, sourceKey: targetKey, targetKey: sourceKey } : found
}

/** "⟦0⟧ is ⟦s⟧'s roommate" can be denied; "⟦s⟧'s roommate ⟦0⟧ does not …" takes it for granted. */
function isCopula(match: string): boolean {
  return /^⟦\d+⟧ (?:is|are|am)(?![\p{L}])/u.test(match)
}

function leftOver(text: string, spans: readonly Span[]): string {
  let rest = ''
  let position = 0
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (start > position) rest += ` ${text.slice(position, start)}`
    position = Math.max(position, end)
  }
  return rest + text.slice(position)
}

function periodOf({ since, until }: Clause): Record<string, string> {
  return { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) }
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
