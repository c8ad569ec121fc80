/** Reads the clauses of a text: relationships, and slots for everything that may be repeated or contradicted. */

import {
  type EntityType,
  isSymmetric,
  nameKey,
  type RelationshipFound,
  type RelationshipType,
  type Slot,
} from '../../core/entity.js'
import { type Clause, clausesOf } from '../../language/sentences/clauses.js'
import { conceptName } from '../../language/sentences/concept-name.js'
import { type Phrase, phrasesIn } from '../../language/sentences/phrases.js'
import { startOf } from '../../language/words/start-of.js'
import { factStem } from '../../language/words/stem.js'
import { isLight } from '../../language/words/words.js'
import { attributeSlot, relatedSlot, saysSlot, someSlot, whoSlot } from '../slot.js'
import { attributesIn } from './attributes.js'
import type { Cast } from './cast.js'
import { putPartner, readEndings } from './endings.js'
import { readNames } from './names.js'
import { markUnnamed, namesakes } from './people.js'
import { readPlans } from './plans.js'
import { phraseKey, type Reading } from './reading.js'
import { type RelationPattern, relationPatterns, tastePatterns } from './relation-patterns.js'
import { canonical, exclusiveTypes, periodOf, putRelation } from './relations.js'
import { readStatement } from './statements.js'

/** Half-open range of a clause that a rule has matched. */
type Span = readonly [start: number, end: number]

/**
 * A memory of a thousand characters has about twenty clauses. Clauses beyond the limit are not read, only protected
 * from replacement.
 */
const mostClauses = 40
/**
 * No single statement needs more characters; the cost of the rules grows with up to the square of a clause's length.
 */
const longestClause = 400
const longestSentence = 1_200

const targetOf: Readonly<Partial<Record<RelationshipType, EntityType>>> = {
  WORKS_AT: 'ORG',
  STUDIES_AT: 'ORG',
  LIVES_IN: 'LOCATION',
  SPOUSE_OF: 'PERSON',
}

/** One per text. */
export class FactReader {
  readonly relationships = new Map<string, RelationshipFound>()
  readonly slots = new Map<string, Slot>()
  private clauses = 0
  /** True while general rules run on a clause that a more specific rule has read; their slots only count as implied. */
  private backingUp = false

  constructor(private readonly cast: Cast) {}

  /** Reads a sentence that states something, given as a template. */
  read(plain: string): void {
    if (plain.length > longestSentence) {
      this.put({ slot: saysSlot(startOf(plain, 120)), value: 'yes' })
      return
    }
    this.readNamesakes(plain)
    const template = markUnnamed(plain, (owner, words, single) => this.cast.unnamed(owner, words, single))
    for (const clause of clausesOf(template)) this.readClause(clause)
    this.readPlaces(plain)
  }

  private readNamesakes(template: string): void {
    for (const { mark, owner, words } of namesakes(template)) {
      const key = this.cast.keyOf(mark)
      const whose = owner === null ? '' : `${this.cast.keyOf(owner) ?? ''}'s `
      if (key !== null) this.put({ slot: whoSlot(key), value: whose + words })
    }
  }

  private readClause(clause: Clause): void {
    this.clauses += 1
    if (this.clauses > mostClauses || clause.whole.length > longestClause) {
      this.put({ slot: saysSlot(startOf(clause.whole, 120)), value: 'yes' })
      return
    }
    const reading: Reading = {
      clause,
      keyOf: (mark) => this.cast.keyOf(mark),
      isA: (mark, type) => this.cast.fits(mark, [type]),
      typeOf: (mark) => this.cast.typeOf(mark),
      slot: (slot) => this.put(slot),
      relate: (type, source, target, holds, change) => {
        const wanted = targetOf[type]
        if (wanted) this.cast.settle(target, [wanted])
        this.relate(type, source, target, {}, { holds, change: change ?? clause.change })
      },
      relatePartners: (first, second, relation) =>
        this.relate('RELATED_TO', first, second, relation === null ? {} : { relation }, {
          holds: relation === null ? 'denied' : undefined,
          slotless: true,
        }),
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
    // A general rule adds slots that may match another sentence ("have a dog").
    this.backingUp = told || read
    const stated = readStatement(reading)
    this.backingUp = false
    if (!read) this.readRest(reading, spans, stated && !told)
  }

  /**
   * Slots for the words that no rule has read: they protect this memory from being replaced by one that does not
   * contain them.
   */
  private readRest(reading: Reading, spans: readonly Span[], allRead: boolean): void {
    const { clause } = reading
    // "It bores me to death" comments on the sentence before it.
    if (/^(?:it|this|that|they|he|she)(?:'s)? /u.test(clause.whole) && !/⟦\d|\d/u.test(clause.whole)) return
    const rest = allRead && !clause.unsaid ? '' : clause.unsaid ? clause.whole : leftOver(clause.stated, spans)
    const words = rest.match(/⟦(?:\d+|s)⟧(?:'s)?|[\p{L}\p{N}'-]+/gu) ?? []
    const heavy = words.filter((word) => !isLight(word) && word !== '⟦s⟧')
    const telling = words.some((word) => /^⟦\d+⟧/u.test(word) || word === "⟦s⟧'s")
    if (heavy.length < (spans.length > 0 ? 3 : 1) && !telling) return
    const key = phraseKey(reading, rest)
    if (key !== '') this.put({ slot: saysSlot(key), value: 'yes' })
  }

  private readRelations(reading: Reading, spans: Span[], presupposed: boolean): void {
    const { clause } = reading
    const text = presupposed ? clause.whole : clause.stated
    if (!namesTwo(text)) return
    for (const relation of relationPatterns) {
      // `matchAll` copies its expression, which takes longer than the search, and few of them match.
      if (relation.presupposed !== presupposed || text.search(relation.pattern) < 0) continue
      for (const match of text.matchAll(relation.pattern)) {
        const { s, t, detail, wide } = match.groups ?? {}
        if (s === undefined || t === undefined || s === t) continue
        if (!this.cast.fits(s, relation.source) || !this.cast.fits(t, relation.target)) continue
        // Two people without names can't be told apart, so knowing one adds nothing.
        if (relation.type === 'KNOWS' && !presupposed && [s, t].some((mark) => this.cast.isUnnamed(mark))) continue
        // "Lars is not my roommate anymore": the positive form contains it too, and says that it is over.
        if (presupposed && clause.holds !== 'yes' && !text.includes("⟧'s")) continue
        this.cast.settle(s, relation.source)
        this.cast.settle(t, relation.target)
        const negated = !presupposed || isCopula(match[0])
        const romance = /(?<![\p{L}])(?:girlfriend|boyfriend|partner|fianc[ée]+)(?![\p{L}])/u.exec(match[0])?.[0]
        const pet = /(?:dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster|boat)(?= |'s|,|$)/u.exec(match[0])?.[0]
        this.relate(
          relation.type,
          s,
          t,
          { ...propertiesOf(relation, detail), ...toldPeriod(clause) },
          {
            slotless: romance !== undefined || (pet !== undefined && relation.type === 'OWNS'),
            holds: negated && clause.holds !== 'yes' ? clause.holds : relation.over ? 'over' : undefined,
            change: clause.change || relation.change === true,
            match: match[0],
            wide,
          },
        )
        const [first, second] = [this.cast.keyOf(s), this.cast.keyOf(t)]
        if (romance && first !== null && second !== null)
          putPartner(reading, first, second, romance.startsWith('fianc') ? 'engaged' : 'dating', clause.change)
        // There may be several pets, so their names distinguish them.
        if (pet && relation.type === 'OWNS' && second !== null)
          this.put({ slot: someSlot(`the ${factStem(pet)}`, 'name'), value: second, change: clause.change })
        const at = presupposed ? clause.stated.indexOf(match[0]) : match.index
        if (at >= 0) spans.push([at, at + match[0].length])
      }
    }
  }

  private readTastes(reading: Reading, spans: Span[]): void {
    const { clause } = reading
    for (const { type, pattern, relation } of tastePatterns) {
      if (clause.stated.search(pattern) < 0) continue
      for (const match of clause.stated.matchAll(pattern)) {
        const source = match.groups?.s
        if (source === undefined || !this.cast.fits(source, ['PERSON'])) continue
        const rest = clause.stated.slice(match.index + match[0].length)
        const mild = /(?:like|enjoy|care for)s? $/u.test(match[0])
        const negated = clause.holds !== 'yes'
        for (const phrase of phrasesIn(rest, (index) => this.cast.nameOf(index).name)) {
          const [target, named] = this.thingsOf(phrase)
          if (target === null || target === source) continue
          const properties = relation === undefined ? {} : { relation }
          const holds = negated ? clause.holds : undefined
          if (/ prefers? $/u.test(match[0]))
            this.prefer(reading, source, named, phrase.kind === 'name' ? `⟦${phrase.index}⟧` : phrase.text)
          else if (type === 'LIKES' && negated && mild) this.taste('DISLIKES', source, target, named, undefined)
          else if (type === 'LIKES' || type === 'DISLIKES') this.taste(type, source, target, named, holds)
          else {
            this.relate(type, source, target, properties, { holds, change: clause.change })
            if (named !== target) this.relate(type, source, named, properties, { holds, slotless: true })
          }
        }
        spans.push([match.index, clause.stated.length])
      }
    }
  }

  /**
   * Marks of what a phrase says, for its slot, and of the thing that it names, for its relationship. They differ in
   * "playing tennis"; a phrase that names nothing has a slot only.
   */
  private thingsOf(phrase: Phrase): [target: string | null, named: string] {
    if (phrase.kind === 'name') return [String(phrase.index), String(phrase.index)]
    const named = phrase.name === null ? null : this.cast.conceptOf(phrase.name, false)
    const target = phrase.name === phrase.text ? named : this.cast.conceptOf(phrase.text, true)
    return [target, named ?? target ?? '']
  }

  /** A person prefers one thing at a time once a text says that the preference changed. */
  private prefer(reading: Reading, source: string, target: string, phrase: string): void {
    const { holds, change } = reading.clause
    if (holds === 'yes') this.relate('LIKES', source, target, {}, { slotless: true })
    this.put({
      slot: someSlot(this.cast.keyOf(source), 'prefer'),
      value: (holds === 'yes' ? '' : '!') + phraseKey(reading, phrase),
      change,
    })
  }

  /** A person does not both like and dislike a thing: one slot, and the other relationship ends. */
  private taste(
    type: 'LIKES' | 'DISLIKES',
    source: string,
    target: string,
    named: string,
    holds: Clause['holds'] | undefined,
  ): void {
    const [sourceKey, targetKey] = [this.cast.keyOf(source), this.cast.keyOf(target)]
    if (sourceKey === null || targetKey === null || sourceKey === targetKey) return
    this.relate(type, source, named, {}, { holds: holds === 'yes' ? undefined : holds, slotless: true })
    if (holds === undefined)
      this.relate(type === 'LIKES' ? 'DISLIKES' : 'LIKES', source, named, {}, { holds: 'denied', slotless: true })
    const liked = (type === 'LIKES') === (holds === undefined)
    this.put({ slot: relatedSlot('TASTE', sourceKey, targetKey), value: liked ? 'yes' : 'no' })
  }

  private readAttributes(reading: Reading, spans: Span[]): void {
    const { clause } = reading
    for (const { owner, attribute, value, start, end, liked, fresh = false } of attributesIn(clause.stated, (index) =>
      this.cast.nameOf(index),
    )) {
      const ownerKey = this.cast.keyOf(owner)
      if (ownerKey === null || ownerKey === nameKey(value)) continue
      const negated = clause.holds !== 'yes'
      this.put({
        slot: attributeSlot(ownerKey, attribute),
        value: negated ? `!${value}` : value,
        change: clause.change || fresh,
      })
      spans.push([start, end])
      if (!liked || negated || value.split(' ').length > 4) continue
      const key = nameKey(value)
      const name = conceptName({ words: value.split(' ') })?.join(' ')
      // The value is without its article: "The National".
      const known = this.cast.markOf(key) ?? this.cast.markOf(`the ${key}`)
      const target = known ?? (name === undefined ? null : this.cast.conceptOf(name, false))
      // A fact implied by an attribute is replaced together with that attribute.
      if (target !== null && target !== owner) this.relate('LIKES', owner, target, {}, { slotless: true })
    }
  }

  /** "Berlin, Germany" */
  private readPlaces(template: string): void {
    for (const [, inner = '', outer = ''] of template.matchAll(
      /⟦(\d+)⟧, ⟦(\d+)⟧(?!'s| (?!and|with|for|on|in|where|is|but|or|from|to|at|by|when|since|last|this|near|as)\p{Ll})/gu,
    ))
      if (this.cast.isPlaceWithin(inner, outer)) this.relate('LOCATED_IN', inner, outer, {}, { slotless: true })
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
      /** Mark of the country or state that the text also names. */
      readonly wide?: string | undefined
      /** The caller sets its slot. */
      readonly slotless?: boolean
    },
  ): void {
    const [sourceKey, targetKey] = [this.cast.keyOf(source), this.cast.keyOf(target)]
    if (sourceKey === null || targetKey === null || sourceKey === targetKey) return
    if (source === 's' || target === 's') this.cast.sawSpeaker()
    const inverse = type === 'MANAGES' && this.cast.isPerson(target)
    const found = canonical(
      inverse ? { type: 'REPORTS_TO', sourceKey: targetKey, targetKey: sourceKey } : { type, sourceKey, targetKey },
      isSymmetric(type) || (type === 'RELATED_TO' && this.cast.isPerson(target)),
    )
    const beside = /(?<![\p{L}])(?:also|as well|second job|side job|on the side)(?![\p{L}])/u.test(how.match ?? '')
    const vague =
      type === 'LIVES_IN' &&
      this.cast.isRegion(target) &&
      !/moved|relocated|emigrated|immigrated|settled/u.test(how.match ?? '')
    const exclusive = exclusiveTypes.has(found.type) && !beside && !vague && how.holds === undefined
    const id = `${found.type}|${found.sourceKey}|${found.targetKey}`
    const people = [source, target].every((mark) => mark === 's' || !this.cast.isUnnamed(mark))
    if (people) {
      const known = this.relationships.get(id)
      this.relationships.set(id, {
        ...found,
        properties: { ...known?.properties, ...properties },
        exclusive: exclusive || (type === 'STUDIES_AT' && how.change === true && /transferred/u.test(how.match ?? '')),
        ...periodOf(properties, how.holds),
      })
    }
    // A wedding ends an engagement.
    if (type === 'SPOUSE_OF' && how.holds === undefined)
      this.relate('RELATED_TO', source, target, {}, { holds: 'denied', slotless: true })
    if (how.slotless) return
    putRelation((slot) => this.put(slot), found, {
      ...how,
      relation: properties.relation,
      beside,
      vague,
      region: how.wide === undefined ? null : this.cast.keyOf(how.wide),
    })
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

/** A relationship needs two people or things. Most clauses name fewer, and a hundred patterns need not read them. */
function namesTwo(text: string): boolean {
  const first = text.indexOf('⟦')
  if (first < 0) return false
  const mark = text.slice(first, text.indexOf('⟧', first) + 1)
  for (let at = text.indexOf('⟦', first + 1); at >= 0; at = text.indexOf('⟦', at + 1)) {
    if (!text.startsWith(mark, at)) return true
  }
  return false
}

/** "⟦0⟧ is ⟦s⟧'s roommate" can be denied; "⟦s⟧'s roommate ⟦0⟧ does not …" presupposes it. */
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

function toldPeriod({ since, until }: Clause): Record<string, string> {
  return { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) }
}

function propertiesOf(relation: RelationPattern, detail: string | undefined): Record<string, string> {
  return relation.detail === undefined || detail === undefined ? {} : { [relation.detail]: detail.toLowerCase() }
}
