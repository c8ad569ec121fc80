import { checksumOf, contentKey } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import type { UserScope } from '../../core/scope.js'
import { expiryOf } from '../../core/ttl.js'
import { factsStatedIn } from '../../facts/statements/state.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import type { Opinion } from '../../ingest/follow-judge.js'
import type { Advice } from '../../ingest/llm/reconcile.js'
import type { Tagged } from '../../models/models.js'
import type { ConversationTurns } from '../../storage/ports/conversations.js'
import type { Deps } from '../deps.js'
import { advise } from './advise.js'
import type { Consultation } from './consultation.js'
import { turnsToKeep } from './conversation.js'
import { judgeChanges } from './judge-changes.js'
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

/** Splits, tags and embeds the text, and asks the language model if there is one. Does not hold the user's lock. */
export async function draft(
  deps: Deps,
  scope: UserScope,
  reading: Reading,
  consultation: Consultation | null,
): Promise<Drafted> {
  const { input, divided, saidAt, now, overall } = reading
  const { segments, chatter } = divided
  const local = { segments, chatter, ...(await tagTurns(deps, scope, divided.memories)) }
  const { trustScore } = overall
  const understood = await understand(deps, scope, consultation, local, { saidAt, trustScore })
  // A language model has chosen already.
  const { said, tagged } = consultation === null ? await worthKeeping(deps, input, understood) : understood
  const vectors = await timed(deps.meter, 'embed', () =>
    deps.embedder.embed(said.map(({ content, before }) => embeddingText(content, before))),
  )
  const prepared = said.map((memory, index) => prepare(deps, reading, memory, tagged[index], vectors[index]))
  const { drafts: memories, opinions } = await judgeChanges(deps, scope, prepared, now)
  const advice = await advise(deps, scope, consultation, memories, now)
  const degraded = consultation?.conclude() ?? []
  // The clock is read again: some of the user's memories may have expired while the model was asked.
  return {
    input,
    segments,
    memories,
    opinions,
    conversation: turnsToKeep(deps, scope, input, overall, divided),
    advice,
    degraded,
    now: deps.clock.now(),
  }
}

function prepare(
  deps: Deps,
  { input, now, trust }: Reading,
  memory: DividedMemory,
  tagged: Tagged | undefined,
  vector: Float32Array | undefined,
): PreparedMemory {
  if (!tagged || !vector) throw new Error('a model returned fewer results than texts')
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
    ...trust.of(memory),
    vector,
    facts: factsStatedIn(deps.statements, { content, speaker: speakerNameOf(memory) ?? null, slots: tagged.slots }),
  }
}
