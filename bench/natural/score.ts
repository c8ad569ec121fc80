/** Compares what the service did with what a case expects. Pure functions; `doors.ts` observes. */
import type { NaturalCase, Question } from './cases.js'
import type { FinalMemory, FoundContradiction, Observed, OutdatedPart, Result } from './observed.js'

export interface CaseScore {
  readonly id: string
  readonly category: string
  readonly answers: readonly AnswerScore[]
  readonly ended: readonly EndedScore[]
  /** Ended facts that no question quotes. */
  readonly unmeasurable: number
  readonly lost: readonly Loss[]
  /** Open contradictions although nothing ends. */
  readonly raised: readonly FoundContradiction[]
  /** Turns that should not be stored: how many, and those that were. */
  readonly chatter: Count<number>
  /** Turns that should be stored: how many, and those that left no memory. */
  readonly statements: Count<number>
  /** Right quotes: how many, and those that no memory contains. */
  readonly values: Count<string>
  readonly refused: number
  /** Pairs of turns that state the same fact, and those that were recognised. */
  readonly same: Count<Pair>
  /** Pairs that were taken for the same fact although they are not. */
  readonly mistaken: readonly Pair[]
  readonly right: boolean
}

/** `of` were looked at; `found` has the property in question. */
export interface Count<T> {
  readonly of: number
  readonly found: readonly T[]
}

export type Pair = readonly [first: number, second: number]

export interface AnswerScore {
  readonly ask: string
  /** Whether an older value could be returned instead. */
  readonly changed: boolean
  /** The first result contains a right quote, and no wrong or outdated one. */
  readonly first: boolean
  /** All right quotes are among the results. */
  readonly complete: boolean
}

export interface EndedScore {
  readonly quote: string
  readonly state: 'replaced' | 'open' | 'missed'
}

export interface Loss {
  readonly content: string
  readonly how: string
}

export function scoreCase(one: NaturalCase, observed: Observed): CaseScore {
  const view = viewOf(one, observed)
  const answers = one.questions.map((question, index) => scoreAnswer(question, observed.answers[index] ?? []))
  const ended = outdatedQuotes(one).map((quote) => ({ quote, state: stateOf(view, quote) }))
  const lost = one.expect.ended.length === 0 ? lostMemories(view) : lostQuotes(view)
  const listed = (stored: boolean) => turnsOf(one).filter((turn) => one.expect.stored[turn] === stored)
  const chatter = { of: listed(false).length, found: listed(false).filter((turn) => makesMemory(view, turn)) }
  const statements = { of: listed(true).length, found: listed(true).filter((turn) => isLost(view, turn)) }
  const same = { of: one.expect.same.length, found: pairsOf(one).filter((pair) => recognised(view, pair)) }
  const mistaken = otherPairs(one).filter((pair) => taken(view, pair) && !isRefinement(view, pair))
  return {
    id: one.id,
    category: one.category,
    answers,
    ended,
    unmeasurable: Math.max(0, one.expect.ended.length - ended.length),
    lost,
    raised: one.expect.ended.length === 0 ? observed.contradictions.filter(({ status }) => status === 'open') : [],
    chatter,
    statements,
    values: missingValues(view),
    refused: observed.turns.filter(({ refused }) => refused).length,
    same,
    mistaken,
    right:
      answers.every(({ first, complete }) => first && complete) &&
      ended.every(({ state }) => state !== 'missed') &&
      [lost, chatter.found, statements.found, mistaken].every(({ length }) => length === 0) &&
      same.found.length === same.of,
  }
}

/* ------------------------------------------------------------------ quotes */

/**
 * Whether the text contains the quote, ignoring case, quotation marks, white space, and the explanations in parentheses that
 * the service inserts, as in "today (25 January 2026)".
 */
export function contains(text: string, quote: string): boolean {
  const plain = normalized(text)
  const sought = normalized(quote)
  return plain.includes(sought) || withoutExplanations(plain).includes(sought)
}

function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim()
}

function withoutExplanations(text: string): string {
  return text.replace(/ \([^()]*\)/g, '')
}

/** A part may be shorter than the quote ("Dr. Sampaio" in "keynote by Dr. Sampaio"). */
export function isMarked(outdated: readonly OutdatedPart[], quote: string): boolean {
  return outdated.some(({ text }) => text.trim() !== '' && (contains(text, quote) || contains(quote, text)))
}

function outdatedQuotes({ questions }: NaturalCase): string[] {
  return [...new Set(questions.flatMap(({ outdated }) => outdated))]
}

function rightQuotes({ questions }: NaturalCase): string[] {
  return [...new Set(questions.flatMap(({ right }) => right))]
}

function turnsOf({ turns }: NaturalCase): number[] {
  return [...turns.keys()]
}

function turnsWith(one: NaturalCase, quote: string): number[] {
  return turnsOf(one).filter((turn) => contains(one.turns[turn]?.content ?? '', quote))
}

/* ------------------------------------------------------------------ answers */

export function scoreAnswer({ ask, right, outdated, wrong = [] }: Question, results: readonly Result[]): AnswerScore {
  const [top] = results
  const mayNotShow = (quote: string) => top !== undefined && contains(top.content, quote)
  return {
    ask,
    changed: outdated.length > 0,
    first:
      top !== undefined &&
      right.some((quote) => contains(top.content, quote)) &&
      !wrong.some(mayNotShow) &&
      !outdated.some((quote) => mayNotShow(quote) && !isMarked(top.outdated, quote)),
    complete: right.every((quote) => results.some(({ content }) => contains(content, quote))),
  }
}

/* ------------------------------------------------------------------ memories */

interface View {
  readonly one: NaturalCase
  readonly observed: Observed
  readonly memories: ReadonlyMap<string, FinalMemory>
  /** The memories that the turn created or repeated. */
  ids(turn: number): readonly string[]
  /** The turn that created the memory. */
  madeBy(id: string): number | undefined
  /** The memories that were made from a turn with this quote, and contain it. */
  holders(quote: string): readonly FinalMemory[]
}

function viewOf(one: NaturalCase, observed: Observed): View {
  const memories = new Map(observed.memories.map((memory) => [memory.id, memory]))
  const creators = new Map<string, number>()
  for (const [turn, { stored }] of observed.turns.entries())
    for (const { id, action } of stored) if (action !== 'NOOP') creators.set(id, turn)
  return {
    one,
    observed,
    memories,
    ids: (turn) => (observed.turns[turn]?.stored ?? []).map(({ id }) => id),
    madeBy: (id) => creators.get(id),
    holders(quote) {
      const turns = turnsWith(one, quote)
      return observed.memories.filter(
        ({ id, content }) => turns.includes(creators.get(id) ?? -1) && contains(content, quote),
      )
    },
  }
}

function isLost(view: View, turn: number): boolean {
  const repeats = pairsOf(view.one).some((pair) => pair[1] === turn && isSwallowed(view, pair))
  return view.ids(turn).length === 0 && !repeats
}

function makesMemory({ observed }: View, turn: number): boolean {
  return observed.turns[turn]?.stored.some(({ action }) => action !== 'NOOP') ?? false
}

function stateOf(view: View, quote: string): EndedScore['state'] {
  const states = view.holders(quote).map((memory) => {
    const statuses = view.observed.contradictions.filter(({ old }) => old.id === memory.id).map(({ status }) => status)
    if (memory.superseded || isMarked(memory.outdated, quote)) return 'replaced'
    if (statuses.some((status) => status === 'applied' || status === 'accepted')) return 'replaced'
    return statuses.includes('open') ? 'open' : 'missed'
  })
  if (states.length === 0 || states.includes('missed')) return 'missed'
  return states.includes('open') ? 'open' : 'replaced'
}

function missingValues(view: View): Count<string> {
  const quotes = rightQuotes(view.one)
  const found = quotes.filter((quote) => {
    // A turn that repeats a memory may say it in other words.
    const repeats = turnsWith(view.one, quote).some((turn) => view.ids(turn).length > 0 && !makesMemory(view, turn))
    return !repeats && view.holders(quote).length === 0
  })
  return { of: quotes.length, found }
}

/* ------------------------------------------------------------------ losses */

/** Where nothing ends: every memory that is superseded or outdated in part, unless the newer one states the same fact. */
function lostMemories(view: View): Loss[] {
  return view.observed.memories.flatMap((memory): Loss[] => {
    const turn = view.madeBy(memory.id)
    // Chatter states no fact that could be lost.
    if (turn !== undefined && view.one.expect.stored[turn] === false) return []
    const { content, outdated } = memory
    if (memory.superseded && !isRestated(view, memory) && !isRefined(view, memory))
      return [{ content, how: `superseded by ${successor(view, memory)}` }]
    return outdated.map(({ text }) => ({ content, how: `outdated part: ${text}` }))
  })
}

/** Where something ends: every right quote that no current memory contains any more. */
function lostQuotes(view: View): Loss[] {
  return rightQuotes(view.one).flatMap((quote): Loss[] => {
    const gone = (memory: FinalMemory) =>
      (memory.superseded && !isRestated(view, memory) && !isRefined(view, memory)) || isMarked(memory.outdated, quote)
    const holders = view.holders(quote)
    const [memory] = holders
    if (!memory || !holders.every(gone)) return []
    const how = memory.superseded ? `superseded by ${successor(view, memory)}` : 'outdated in part'
    return [{ content: memory.content, how: `"${quote}" ${how}` }]
  })
}

function successor({ memories }: View, { supersededBy }: FinalMemory): string {
  return supersededBy === null ? 'nothing' : `"${memories.get(supersededBy)?.content ?? supersededBy}"`
}

function isRestated(view: View, { id, supersededBy }: FinalMemory): boolean {
  const [first, second] = [view.madeBy(id), view.madeBy(supersededBy ?? '')]
  return first !== undefined && second !== undefined && isSame(view.one, [first, second])
}

const leastShareOfWords = 0.8

/**
 * Whether the later text says what the earlier one says, and more: it has every number and name of it and most of its other words, and
 * at least two further words. A memory that such a text supersedes is not lost.
 */
export function refines(later: string, earlier: string): boolean {
  const known = wordsOf(later)
  const has = (word: string) =>
    known.some((other) => other === word || (word.length > 4 && other.startsWith(word.slice(0, 4))))
  const words = wordsOf(earlier)
  const names = [...earlier.matchAll(/(?<!^)\b(?:\p{Lu}[\p{L}'-]+|\S*\d\S*)/gu)].flatMap(([name]) => wordsOf(name))
  const found = words.filter(has).length
  return names.every(has) && found >= leastShareOfWords * words.length && known.length >= words.length + 2
}

function wordsOf(text: string): string[] {
  return (normalized(withoutExplanations(text)).match(/[\p{L}\d]+(?:[.:/-][\p{L}\d]+)*/gu) ?? []).filter(
    (word) => word.length > 3 || /\d/.test(word),
  )
}

function isRefined({ memories }: View, { content, supersededBy }: FinalMemory): boolean {
  return refines(memories.get(supersededBy ?? '')?.content ?? '', content)
}

function isRefinement({ one }: View, [first, second]: Pair): boolean {
  return refines(one.turns[second]?.content ?? '', one.turns[first]?.content ?? '')
}

/* ------------------------------------------------------------------ duplicates */

function isSame({ expect }: NaturalCase, pair: Pair): boolean {
  return expect.same.some((same) => same.includes(pair[0]) && same.includes(pair[1]))
}

function pairsOf({ expect }: NaturalCase): Pair[] {
  return expect.same.map(([a = 0, b = 0]) => [Math.min(a, b), Math.max(a, b)])
}

/** A listed turn and a later statement that is another fact. */
function otherPairs(one: NaturalCase): Pair[] {
  const { stored } = one.expect
  const turns = turnsOf(one).filter((turn) => stored[turn] !== undefined)
  return turns
    .flatMap((first) => turns.map((second): Pair => [first, second]))
    .filter((pair) => pair[0] < pair[1] && stored[pair[1]] === true && !isSame(one, pair))
}

function recognised(view: View, pair: Pair): boolean {
  return taken(view, pair) || isSwallowed(view, pair)
}

/** Only the expectation distinguishes a silent repetition from a lost statement. */
function isSwallowed(view: View, [first, second]: Pair): boolean {
  const { turns, repeatsAreSilent } = view.observed
  return repeatsAreSilent && view.ids(first).length > 0 && view.ids(second).length === 0 && !turns[second]?.refused
}

/** Whether the second turn was taken for a restatement of the first: it repeats its memories, or supersedes all of them. */
function taken(view: View, [first, second]: Pair): boolean {
  const [earlier, later] = [view.ids(first), view.ids(second)]
  if (earlier.length === 0 || later.length === 0) return false
  const [survivors, current] = [earlier, later].map((ids) => ids.map((id) => survivorOf(view, id)))
  const repeats = current?.every((id) => survivors?.includes(id)) ?? false
  const replaces = earlier.every((id) => survivorOf(view, id) !== id && current?.includes(survivorOf(view, id)))
  return repeats || replaces
}

/** Follows the memories that superseded it, but not where a fact ended as expected. */
function survivorOf(view: View, id: string): string {
  const memory = view.memories.get(id)
  if (!memory?.supersededBy || endsAsExpected(view, memory)) return id
  return survivorOf(view, memory.supersededBy)
}

/** Where something ends, only a memory with a right quote has to stay current. A lost quote is counted elsewhere. */
function endsAsExpected(view: View, memory: FinalMemory): boolean {
  if (view.one.expect.ended.length === 0 || isRestated(view, memory)) return false
  const holds = (quotes: readonly string[]) =>
    quotes.some((quote) => view.holders(quote).some(({ id }) => id === memory.id))
  return holds(outdatedQuotes(view.one)) || !holds(rightQuotes(view.one))
}
