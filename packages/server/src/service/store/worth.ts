/** Leaves out memories that say nothing worth remembering. Their words stay in the record of the text. */
import { withoutAskedNote } from '../../core/asked-note.js'
import { isSlotOf } from '../../facts/slot.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { saysThatItChanged } from '../../language/words/change-words.js'
import { isEnglish } from '../../language/words/is-english.js'
import type { Tagged } from '../../models/models.js'
import type { Deps } from '../deps.js'

/** Below this chance a text is chatter. */
const leastWorth = 0.3
/** The same for a text in which the rules or the tagger found something. */
const leastWithFacts = 0.04
/** The same for the assistant, who is not the one to remember. */
const leastOfAssistant = 0.2

const figure = /\p{Nd}|(?<![\p{L}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![\p{L}])/iu
/** A standing wish of the user. */
const instruction =
  /(?<![\p{L}])(?:always|never|from now on|in future|please use|don['’]?t|do not|remember|call me|i prefer|prefer|avoid|no more)(?![\p{L}])/iu

export function isWorthKeeping(deps: Deps, memory: DividedMemory, tagged: Tagged, vector: Float32Array): boolean {
  const { content, meant, speaker, role, before } = memory
  // A person with a name may speak to others, and a short answer says what its question asked.
  if (speaker !== null || withoutAskedNote(content) !== content || !isEnglish(meant)) return true
  if (role !== 'assistant' && (saysThatItChanged(meant) || instruction.test(meant))) return true
  const isAssistant = role === 'assistant'
  const worth = deps.worth.worth(deps.embedder.modelId, vector, {
    // Without the dates that were put in.
    text: meant.replace(/^Assistant: /u, ''),
    isAssistant,
    isAfterQuestion: before?.trim().endsWith('?') === true,
  })
  if (worth === null) return true
  if (isAssistant) return worth >= leastOfAssistant
  return worth >= (hasFacts(tagged) || figure.test(meant) ? leastWithFacts : leastWorth)
}

/** Names, relationships, or facts that a rule has read; the speaker alone is none. */
function hasFacts({ entities, relationships, slots }: Tagged): boolean {
  return (
    relationships.length > 0 ||
    entities.some(({ key, type }) => !key.startsWith('user:') && type !== 'CONCEPT') ||
    slots.some(({ slot, implied }) => implied !== true && !isSlotOf('SAYS', slot) && !isSlotOf('WHO', slot))
  )
}
