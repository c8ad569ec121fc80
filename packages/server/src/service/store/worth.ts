/** Leaves out memories that say nothing worth remembering, and tells which seem to change something. The words of what is left out stay in the record of the text. */
import { withoutAskedNote } from '../../core/asked-note.js'
import { timed } from '../../core/meter.js'
import { isSlotOf } from '../../facts/slot.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { asksForLanguage, saysOfOneself } from '../../language/sentences/says-of-oneself.js'
import { standingRule } from '../../language/sentences/standing-rule.js'
import { saysThatItChanged } from '../../language/words/change-words.js'
import { isEnglish } from '../../language/words/is-english.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { countWords } from '../../language/words/word-count.js'
import type { Tagged } from '../../models/models.js'
import type { Deps } from '../deps.js'
import type { StoreInput } from './store-input.js'
import type { Understood } from './tag.js'

/** Below this chance a text is chatter. */
const leastWorth = 0.4
/** The same for a text in which the rules or the tagger found something. */
const leastWithFacts = 0.1
/** The same for an answer to a question, which may say a lot in a word, for what may be a standing wish, for a text with a number, and for one in an unknown language. */
const leastOfAnswer = 0.03
/** The same for a rule that holds from now on: the model takes most of them for requests. */
const leastOfRule = 0
/** The same for the assistant, who is not the one to remember. */
const leastOfAssistant = 0.4
/** Longer texts say something. */
const mostCharacters = 400
/** Of a text whose language can't be told from so few words: "Howzit", "jajaja". */
const mostUnknownWords = 5
const lettersPerCharacter = 4

const figure = /\p{Nd}|(?<![\p{L}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![\p{L}])/iu
/** A standing wish of the user. */
const instruction =
  /(?<![\p{L}])(?:always|never|from now on|in future|please use|don['’]?t|do not|remember|call me|i prefer|prefer|avoid|no more)(?![\p{L}])/iu

export interface Weighed extends Understood {
  /** Per memory, the chance that it changes something said before; null: the model was not asked. */
  readonly changes: readonly (number | null)[]
}

/** Without the judging model, everything is kept. */
export async function worthKeeping(deps: Deps, input: StoreInput, understood: Understood): Promise<Weighed> {
  const { said, tagged } = understood
  const changes: (number | null)[] = said.map(() => null)
  if (deps.settings.steps?.smallTalk === false) return { ...understood, changes }
  const doubtful = said.flatMap((memory, index) => (mayBeChatter(memory, input) ? [index] : []))
  if (doubtful.length === 0) return { ...understood, changes }
  const chatter = new Set<number>()
  try {
    const weighed = await timed(deps.meter, 'judge', () =>
      deps.judge.weigh(doubtful.map((index) => turnOf(said[index]))),
    )
    for (const [at, index] of doubtful.entries()) {
      changes[index] = weighed[at]?.changes ?? null
      if ((weighed[at]?.worth ?? 1) < leastOf(said[index], tagged[index])) chatter.add(index)
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'the judging model failed: chatter is found by rules only')
    deps.meter.degraded('judge')
  }
  for (const index of ofWritings(said, chatter)) chatter.delete(index)
  const isKept = (_: unknown, index: number) => !chatter.has(index)
  return { said: said.filter(isKept), tagged: tagged.filter(isKept), changes: changes.filter(isKept) }
}

/** Sentences of a written text that says something elsewhere: there nothing is chatter. */
function ofWritings(said: readonly DividedMemory[], chatter: ReadonlySet<number>): number[] {
  const saying = new Set(said.flatMap(({ turn }, index) => (chatter.has(index) ? [] : [turn])))
  return [...chatter].filter((index) => {
    const memory = said[index]
    return memory?.written === true && saying.has(memory.turn)
  })
}

/** A person with a name may speak to others. */
function mayBeChatter({ meant, speaker, role }: DividedMemory, { remembersAssistant }: StoreInput): boolean {
  if (role === 'assistant' && remembersAssistant) return false
  return (
    speaker === null && lengthOf(meant) <= mostCharacters && (isKnown(meant) || countWords(meant) <= mostUnknownWords)
  )
}

function isKnown(text: string): boolean {
  return isEnglish(text) || isForeign(text)
}

/** A character of a script without spaces says as much as several letters. */
function lengthOf(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return text.length + (lettersPerCharacter - 1) * dense
}

function turnOf(memory: DividedMemory | undefined) {
  return {
    before: memory?.before ?? null,
    // Without the dates that were put in.
    text: (memory?.meant ?? '').replace(/^Assistant: /u, ''),
    isAssistant: memory?.role === 'assistant',
  }
}

function leastOf(memory: DividedMemory | undefined, tagged: Tagged | undefined): number {
  if (memory?.isFiled) return 0
  if (memory?.role === 'assistant') return leastOfAssistant
  if (memory && withoutAskedNote(memory.content) !== memory.content) return leastOfAnswer
  const said = memory?.meant ?? ''
  const rule = standingRule(said)
  if (rule === 'surely' || asksForLanguage(said)) return leastOfRule
  if (rule === 'maybe' || figure.test(said) || instruction.test(said) || saysOfOneself(said)) return leastOfAnswer
  if (!isKnown(said)) return leastOfAnswer
  const states = saysThatItChanged(said) || (tagged !== undefined && hasFacts(tagged))
  return states ? leastWithFacts : leastWorth
}

/** Names, relationships, or facts that a rule has read; the speaker alone is none. */
function hasFacts({ entities, relationships, slots }: Tagged): boolean {
  return (
    relationships.length > 0 ||
    entities.some(({ key, type }) => !key.startsWith('user:') && type !== 'CONCEPT') ||
    slots.some(({ slot, implied }) => implied !== true && !isSlotOf('SAYS', slot) && !isSlotOf('WHO', slot))
  )
}
