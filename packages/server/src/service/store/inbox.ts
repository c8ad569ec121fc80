/** A text is on disk before the language model reads it. The next start stores texts that a crash left there. */
import { z } from 'zod'
import type { Actor } from '../../core/actor.js'
import type { Metadata } from '../../core/memory.js'
import type { Once } from '../../core/once.js'
import { parsedJson } from '../../core/parsed-json.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { type PendingText, RawTextGone } from '../../storage/ports/inbox.js'
import type { Deps } from '../deps.js'
import type { StoreInput } from './store-input.js'
import { redactedKind } from './stored.js'

/** Drafts while the text is in the inbox; the commit takes it out. */
export async function whileKept<Drafted, Stored>(
  deps: Deps,
  scope: UserScope,
  text: KeptText,
  draft: () => Promise<Drafted>,
  commit: (drafted: Drafted, rawId?: string) => Promise<Stored>,
): Promise<Stored> {
  const rawId = await keepRaw(deps, scope, text)
  try {
    const drafted = await draft()
    try {
      return await commit(drafted, rawId)
    } catch (error) {
      if (!(error instanceof RawTextGone)) throw error
      // Everything of the user was erased while the text was read. The response comes after that, so the text is stored after that.
      return await commit(drafted)
    }
  } catch (error) {
    await letGo(deps, scope, rawId)
    throw error
  }
}

/** Returns the id in the inbox. A TTL counts from now, whenever the memories are stored. */
async function keepRaw(deps: Deps, scope: UserScope, { actor, input, once }: KeptText): Promise<string> {
  const id = deps.ids.next('doc')
  const kept: KeptText = { actor, input: { ...input, createdAt: input.createdAt ?? deps.clock.now() }, once }
  await deps.storage.keepRaw(scope, { id, payload: JSON.stringify(kept) })
  return id
}

/** The response says that nothing was stored, so nothing may be stored later. */
export async function letGo(deps: Deps, scope: UserScope, rawId: string): Promise<void> {
  try {
    await deps.storage.dropRaw(userScope(scope.userId), rawId)
  } catch (error) {
    deps.log.error({ err: error }, 'a text that was not stored is still in the inbox: the next start stores it')
  }
}

export interface KeptText {
  readonly actor: Actor
  readonly input: StoreInput
  /** Its idempotency key: sending the text again must not store it twice. */
  readonly once: Once | undefined
}

const keptText = z.object({
  actor: z.object({
    role: z.enum(['user', 'master', 'anonymous']),
    keyId: z.string().nullable(),
    ip: z.string(),
    requestId: z.string(),
  }),
  input: z.object({
    text: z.union([
      z.object({ content: z.string() }),
      z.object({
        messages: z.array(
          z.object({
            role: z.enum(['user', 'assistant', 'system', 'tool']),
            content: z.string(),
            name: z.string().optional(),
            createdAt: z.number().optional(),
          }),
        ),
      }),
    ]),
    metadata: z.record(z.string(), z.unknown()),
    ttl: z
      .union([z.object({ kind: z.literal('permanent') }), z.object({ kind: z.literal('span'), ms: z.number() })])
      .optional(),
    createdAt: z.number(),
    source: z.string().optional(),
    conversationId: z.string().optional(),
    remembersAssistant: z.boolean().optional(),
    redacted: z.array(redactedKind).optional(),
  }),
  once: z.object({ keyHash: z.string(), fingerprint: z.string() }).optional(),
})

/** Null if this release cannot read it. */
export function readKept({ payload }: PendingText): KeptText | null {
  const read = keptText.safeParse(parsedJson(payload))
  if (!read.success) return null
  const { actor, input, once } = read.data
  const text: StoreInput['text'] =
    'content' in input.text
      ? input.text
      : {
          messages: input.text.messages.map(({ role, content, name, createdAt }) => ({
            role,
            content,
            ...(name === undefined ? {} : { name }),
            ...(createdAt === undefined ? {} : { createdAt }),
          })),
        }
  return {
    actor,
    input: {
      text,
      // It was JSON when it was stored, so it is JSON now.
      metadata: input.metadata as Metadata,
      ttl: input.ttl,
      createdAt: input.createdAt,
      source: input.source,
      conversationId: input.conversationId,
      remembersAssistant: input.remembersAssistant,
    },
    once,
  }
}
