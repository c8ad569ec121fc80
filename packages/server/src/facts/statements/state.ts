/** The facts that a memory states, each with the words that state it. */

import { nameKey, type Slot } from '../../core/entity.js'
import type { StatedFact, Topic } from '../../core/fact.js'
import { nameKind, saysI } from '../../language/names/speaker-name.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { factStem } from '../../language/words/stem.js'
import { isSlotOf, slotParts } from '../slot.js'
import type { StatementModel } from './model.js'
import { type Statement, statementsOf } from './split.js'

export interface Told {
  readonly content: string
  /** Who speaks: a name, or null for the user. Undefined: the content tells. */
  readonly speaker?: string | null
  readonly slots: readonly Pick<Slot, 'slot' | 'value'>[]
}

/** Share of the doubt that stays if a rule understands the statement. */
const doubtOfRules = 0.5

/** Statements below this are talk and are not kept. */
const leastConfidence = 0.1

export function factsStatedIn(model: StatementModel, { content, speaker, slots }: Told): StatedFact[] {
  const { name, lead } = speakerIn(content, speaker)
  // The assistant does not speak about itself.
  if (name !== null && assistant.test(name)) return []
  const wanted = slots.map((filled) => ({ filled, stems: stemsOf(filled) }))
  return understood(content, judged(model, content, lead))
    .filter(({ confidence }) => confidence >= leastConfidence)
    .map(({ start, stop, topic, confidence }) => {
      const value = content.slice(start, stop)
      const said = wanted.length === 0 ? new Set<string>() : new Set(nameKey(value).split(' ').map(factStem))
      const filled = wanted.flatMap((each) => (each.stems?.every((stem) => said.has(stem)) ? [each.filled] : []))
      const slot = filled.find(hasOneValue) ?? filled[0]
      const person = slot && !startsWithSpeaker.test(value) ? personOf(slot, value) : null
      return {
        start,
        stop,
        value,
        subject: person ?? name,
        about: (slot && aboutOf(slot)) ?? topic,
        topic,
        confidence: slot && hasOneValue(slot) ? 1 - (1 - confidence) * doubtOfRules : confidence,
      }
    })
}

/* ------------------------------------------------------------------ speakers */

const assistant = /^(?:assistant|ai|bot|chatgpt|tool|system)$/iu
const written = /^(\p{L}[\p{L}\p{M}\p{N}.'’_ -]{0,63}|@[\p{L}\p{N}_.-]{2,64}): (?=\S)/u

function speakerIn(content: string, known: string | null | undefined): { name: string | null; lead: number } {
  const [prefix = '', name = ''] = written.exec(content) ?? []
  if (known === null) return { name: null, lead: 0 }
  if (known !== undefined) {
    const shown = known.replace(/\s+/gu, ' ').trim()
    return { name: shown, lead: content.startsWith(`${shown}: `) ? shown.length + 2 : 0 }
  }
  const kind = name === '' ? null : nameKind(name)
  const speaks = assistant.test(name) || kind === 'person' || (name !== '' && kind === 'name' && saysI(content))
  return speaks ? { name, lead: prefix.length } : { name: null, lead: 0 }
}

/* ------------------------------------------------------------------ judging */

interface JudgedStatement extends Statement {
  readonly confidence: number
  readonly topic: Topic
}

function judged(model: StatementModel, content: string, lead: number): JudgedStatement[] {
  const found = statementsOf(content, lead).map((statement) => ({ ...statement, ...model.judge(content, statement) }))
  // The model knows the topics of English words only, and a wrong topic is worse than none.
  return isForeign(content) ? found.map((each) => ({ ...each, topic: 'other' })) : found
}

const leastToJoin = 0.5
const longestJoined = 240
/** "It is great" alone says nothing. */
const alone = 0.5

/** A statement that leans on the one before it ("I have a dog. He is three.") forms one with it, if it is a fact. */
function understood(content: string, statements: readonly JudgedStatement[]): JudgedStatement[] {
  const whole: JudgedStatement[] = []
  for (const statement of statements) {
    const before = whole.at(-1)
    if (!statement.leans) whole.push(statement)
    else if (before && joins(content, before, statement)) {
      const confidence = Math.max(before.confidence, statement.confidence)
      whole[whole.length - 1] = { ...before, stop: statement.stop, confidence }
    } else whole.push({ ...statement, confidence: statement.confidence * alone })
  }
  return whole
}

function joins(content: string, before: JudgedStatement, { start, stop, confidence }: JudgedStatement): boolean {
  if (before.asks || confidence < leastToJoin || stop - before.start > longestJoined) return false
  return !content.slice(before.stop, start).includes('\n')
}

/* ------------------------------------------------------------------ slots */

const startsWithSpeaker = /^(?:i|i['’]?(?:m|ve|d|ll)|im|we|we['’](?:re|ve|ll))(?![\p{L}\p{N}])/iu
type Filled = Pick<Slot, 'slot' | 'value'>

/** A home, an employer, an attribute: what a rule reads as one is hardly ever talk. */
function hasOneValue({ slot }: Filled): boolean {
  return !isSlotOf('HOLDS', slot)
}

/**
 * The words of the slot's value, or of the slot itself where the value is "yes" or "no". A statement that has them all states the
 * slot. Undefined: no statement does.
 */
function stemsOf({ slot, value }: Filled): readonly string[] | undefined {
  const [kind = '', ...rest] = slotParts(slot)
  if (kind === 'SAYS' || kind === 'WHO') return undefined
  const plain = value.replace(/^[!-]/u, '')
  const wanted = kind === 'HOLDS' || plain === '' || /^(?:yes|no)(?:$| )/u.test(plain) ? (rest.at(-1) ?? '') : plain
  if (wanted === '') return undefined
  const stems = nameKey(wanted).split(' ').map(factStem)
  return stems.filter((each) => each !== 'plan' && each !== 'have')
}

/** The slot without its owner: "diet" of `ATTR|ann|diet`, "works_at" of `WORKS_AT|ann`, "uses" of `HOLDS|USES|ann|git`. */
function aboutOf({ slot }: Filled): string | undefined {
  const [kind = '', owner = '', ...rest] = slotParts(slot)
  if (kind !== 'HOLDS') return (rest.length > 0 ? rest.join(' ') : kind).toLowerCase()
  return rest.length > 1 ? owner.toLowerCase() : undefined
}

/** The name, as the statement writes it, of the person who owns the slot. */
function personOf({ slot }: Filled, words: string): string | null {
  const parts = slotParts(slot)
  const owner = (parts.length > 3 ? parts[2] : parts[1]) ?? ''
  if (owner === '' || owner.startsWith('user:') || owner.startsWith('the ')) return null
  for (const [name] of words.matchAll(/\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)*/gu)) {
    const bare = name.replace(/['’]s$/u, '')
    if (nameKey(bare) === owner || nameKey(bare).split(' ').includes(owner)) return bare
  }
  return null
}
