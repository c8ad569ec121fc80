import type { Topic } from '../../core/fact.js'
import { type NobodyScope, type UserScope, userScope } from '../../core/scope.js'
import { ordinaryTrust } from '../../core/trust.js'
import type { Deps } from '../deps.js'
import { atOnce, inSlices } from '../texts/text-lanes.js'
import { type Assembled, assembleProfile, shownWords } from './assemble.js'

export interface ProfileRequest {
  readonly maxTokens: number
  readonly asOf?: number
  /** By default all. */
  readonly topics?: readonly Topic[]
}

/** Statements below this are too often talk. */
const leastConfidence = 0.35
/** A line has at least eight tokens or so; some facts are repetitions or too long. */
const factsFor = (maxTokens: number) => Math.min(2_000, Math.max(150, Math.ceil(maxTokens / 2)))

/** What is known about a user now, or was known at `asOf`. */
export async function profile(
  deps: Deps,
  scope: UserScope | NobodyScope,
  { maxTokens, asOf, topics }: ProfileRequest,
): Promise<Assembled> {
  if (scope.kind === 'user') await readUnread(deps, userScope(scope.userId))
  const found = await deps.storage.bestFacts(scope, {
    now: deps.clock.now(),
    ...(asOf === undefined ? {} : { asOf }),
    ...(topics === undefined ? {} : { topics }),
    leastConfidence,
    leastTrust: ordinaryTrust,
    limit: factsFor(maxTokens),
  })
  const facts = found.map(({ value, subject, ...fact }) => ({
    ...fact,
    text: shownWords(value),
    subject: subject === null ? null : shownWords(subject),
  }))
  return assembleProfile(facts, maxTokens, deps.countTokens)
}

const contentsAtOnce = 500

/** Reads memories that were imported, or stored before there were facts or by another model: once per user. */
async function readUnread(deps: Deps, scope: UserScope): Promise<void> {
  const { storage, texts } = deps
  const modelId = texts.statementModelId
  if ((await storage.unreadContents(scope, modelId, 0, 1)) === null) return
  await deps.userLocks.run(scope.userId, async () => {
    for (let after = 0; ; ) {
      const contents = await storage.unreadContents(scope, modelId, after, contentsAtOnce)
      if (contents === null) return
      const isLast = contents.length < contentsAtOnce
      const facts = await inSlices(atOnce, contents, ({ content }) => content, texts.state)
      const read = contents.map(({ row }, index) => ({ row, facts: facts[index] ?? [] }))
      await storage.writeFacts(scope, modelId, read, isLast)
      if (isLast) return
      after = contents.at(-1)?.row ?? after
    }
  })
}
