import { checksumOf, contentKey } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import type { UserScope } from '../../core/scope.js'
import { expiryOf } from '../../core/ttl.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import type { Opinion } from '../../ingest/follow-judge.js'
import type { Advice } from '../../ingest/llm/reconcile.js'
import type { Tagged } from '../../models/models.js'
import type { ConversationTurns } from '../../storage/ports/conversations.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { inSlices } from '../texts/text-lanes.js'
import { advise } from './advise.js'
import type { Consultation } from './consultation.js'
import { turnsToKeep } from './conversation.js'
import { type Judged, judgeChanges } from './judge-changes.js'
import type { PreparedMemory } from './prepared-memory.js'
import type { Reading } from './reading.js'
import type { StoreInput } from './store-input.js'
import { speakerNameOf, tagTurns } from './tag.js'
import { understand } from './understand.js'
import { worthKeeping } from './worth.js'

export interface Drafted {
  readonly input: StoreInput
  readonly segments: readonly string[]
  readonly memories: readonly PreparedMemory[]
  /** From the judging model. */
  readonly opinions: readonly Opinion[]
  readonly conversation: ConversationTurns
  /** From the language model. */
  readonly advice: readonly Advice[]
  readonly degraded: readonly string[]
  readonly now: number
}

/** The judge reads a bounded number of pairs, however long the text is. This is what they count as. */
const judgedCharacters = 8_000

/** Splits, tags and embeds the text, and asks the language model if there is one. Does not hold the user's lock. */
export async function draft(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  reading: Reading,
  consultation: Consultation | null,
): Promise<Drafted> {
  const prepared = await prepare(deps, place, scope, reading, consultation)
  const judged = await place.turn(judgedCharacters, () => judgeChanges(deps, scope, prepared, reading.now))
  const advice = await advise(deps, scope, consultation, judged.drafts, reading.now)
  return draftOf(deps, scope, reading, judged, { advice, degraded: consultation?.conclude() ?? [] })
}

/** The memories in a text, with everything that does not depend on what the user has stored. */
export async function prepare(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  reading: Reading,
  consultation: Consultation | null,
): Promise<PreparedMemory[]> {
  const { input, divided, saidAt, overall } = reading
  const { segments, chatter } = divided
  const local = { segments, chatter, ...(await tagTurns(deps, place, scope, divided.memories)) }
  const { trustScore } = overall
  const understood = await understand(deps, place, scope, consultation, local, { saidAt, trustScore })
  // A language model has chosen already.
  const { said, tagged, changes } =
    consultation === null
      ? await place.turn(judgedCharacters, () => worthKeeping(deps, input, understood))
      : { ...understood, changes: [] }
  const vectors = await inSlices(
    place,
    said.map(({ content, before }) => embeddingText(content, before)),
    (text) => text,
    (texts) => timed(deps.meter, 'embed', () => deps.embedder.embed(texts)),
  )
  const kept = said.map((memory, index) => ({
    ...readMemory(memory, tagged[index], vectors[index]),
    changes: changes[index] ?? null,
  }))
  return withTrust(deps, place, reading, kept)
}

/** What the language model contributed. */
type Advised = Pick<Drafted, 'advice' | 'degraded'>

export function draftOf(
  deps: Deps,
  scope: UserScope,
  { input, divided, overall }: Reading,
  { drafts: memories, opinions }: Judged,
  { advice, degraded }: Advised = { advice: [], degraded: [] },
): Drafted {
  return {
    input,
    segments: divided.segments,
    memories,
    opinions,
    conversation: turnsToKeep(deps, scope, input, overall, divided),
    advice,
    degraded,
    // The clock is read again: some of the user's memories may have expired while the model was asked.
    now: deps.clock.now(),
  }
}

/** Nothing is stored without a verdict. */
const distrusted = { trustScore: 0, flagged: true }

/** A memory with what the models have found in it. */
interface ReadMemory {
  readonly memory: DividedMemory
  readonly tagged: Tagged
  readonly vector: Float32Array
}

function readMemory(memory: DividedMemory, tagged: Tagged | undefined, vector: Float32Array | undefined): ReadMemory {
  if (!tagged || !vector) throw new Error('a model returned fewer results than texts')
  return { memory, tagged, vector }
}

async function withTrust(
  deps: Deps,
  place: Turns,
  { input, now, trustOf }: Reading,
  kept: readonly (ReadMemory & Pick<PreparedMemory, 'changes'>)[],
): Promise<PreparedMemory[]> {
  const told = kept.map(({ memory, tagged: { slots } }) => ({
    content: memory.content,
    speaker: speakerNameOf(memory) ?? null,
    slots,
  }))
  const facts = await inSlices(place, told, ({ content }) => content, deps.texts.state)
  const trusts = await trustOf(
    place,
    kept.map(({ memory }) => memory),
  )
  return kept.map(({ memory, tagged, vector, changes }, index) => {
    const { content, segments, turn } = memory
    const createdAt = memory.createdAt ?? input.createdAt ?? now
    return {
      id: deps.ids.next('mem'),
      content,
      contentKey: contentKey(content),
      checksum: checksumOf(content),
      createdAt,
      expiresAt: expiryOf(input.ttl, createdAt, deps.settings.defaultTtlDays),
      segments,
      turn,
      tagged,
      slots: tagged.slots,
      ...(trusts[index] ?? distrusted),
      vector,
      changes,
      facts: facts[index] ?? [],
    }
  })
}
