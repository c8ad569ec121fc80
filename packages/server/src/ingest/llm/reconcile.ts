/**
 * A language model's advice on which new memories repeat or replace known ones. The model sees known memories under
 * consecutive numbers, never under their ids, and its advice is followed only within bounds that prevent the loss of
 * facts.
 */
import { contentKey } from '../../core/memory.js'
import { remainingText } from '../../core/outdated.js'
import { containsSentences } from '../../language/sentences/whole-sentences.js'
import { type LanguageModel, LanguageModelFailure } from '../../models/llm/llm.js'
import type { KnownMemory, Recognised } from '../../storage/ports/memory-reads.js'
import { type Decision, type Draft, outlives, type Reason } from '../reconcile.js'
import { saysNoMore } from './grounding.js'
import { claimedPair, reconcilingAnswer, reconcilingQuestion } from './questions.js'
import { dayOf } from './read.js'

export interface Advice {
  /** Index of the new memory among the drafts. */
  readonly draft: number
  readonly relation: 'same' | 'replaces' | 'compatible'
  readonly memoryId: string
  /** Key of the content that the model has read: if the memory has changed since, the advice is ignored. */
  readonly contentKey: string
}

/** Maximum number of new memories per question; local rules alone decide about the rest. */
export const mostAsked = 20
const mostCharacters = 12_000

export async function askForAdvice(
  model: LanguageModel,
  drafts: readonly Draft[],
  known: readonly KnownMemory[],
  budgetMs: number,
): Promise<{ readonly advice: readonly Advice[]; readonly refused: number }> {
  let room = mostCharacters - known.reduce((sum, { memory }) => sum + memory.content.length, 0)
  const asked = drafts.slice(0, mostAsked).filter(({ content }) => {
    room -= content.length
    return room >= 0
  })
  if (asked.length === 0 || known.length === 0) return { advice: [], refused: 0 }
  const question = reconcilingQuestion(
    asked.map(({ content, createdAt }, index) => ({ n: index + 1, said: dayOf(createdAt), text: content })),
    known.map(({ memory }, index) => ({
      n: index + 1,
      said: dayOf(memory.createdAt),
      text: remainingText(memory.content, memory.outdated),
    })),
  )
  const answer = reconcilingAnswer.safeParse(await model.complete(question, budgetMs))
  if (!answer.success) throw new LanguageModelFailure('The language model failed: its answer does not match the schema')
  const { pairs } = answer.data
  if (pairs.length > asked.length * known.length) return { advice: [], refused: pairs.length }
  const advice = pairs.flatMap((claim): Advice[] => {
    const read = claimedPair.safeParse(claim).data
    const draft = read && asked[read.new - 1]
    const about = read && known[read.known - 1]
    // A number that was never given refers to no memory.
    if (!read || !draft || !about) return []
    const { memory } = about
    return [
      {
        draft: drafts.indexOf(draft),
        relation: read.relation,
        memoryId: memory.id,
        contentKey: contentKey(memory.content),
      },
    ]
  })
  return { advice, refused: pairs.length - advice.length }
}

/**
 * The local decisions, corrected by the model: `compatible` keeps both memories; `same` adds no second memory if the
 * known one contains every word of it; `replaces` turns a memory into history if every fact that the rules found in it
 * is also in the new one, if it is neither newer nor longer-lived than the new one, and if the new one is not a part of it.
 */
export function heed(
  decisions: readonly Decision[],
  drafts: readonly Draft[],
  advice: readonly Advice[],
  recognised: Recognised,
): Decision[] {
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  const repeated = new Set(decisions.flatMap((decision) => (decision.kind === 'noop' ? [decision.memoryId] : [])))
  const replaced = new Set<string>()
  const vetoed = decisions.map((decision, index) => withoutCompatible(decision, index, advice))
  for (const decision of vetoed) if (decision.kind === 'update') for (const id of decision.supersedes) replaced.add(id)
  return vetoed.map((decision, index) => {
    const draft = drafts[index]
    if (!draft || draft.flagged || (decision.kind !== 'add' && decision.kind !== 'update')) return decision
    const about = advice.flatMap(({ draft: of, relation, memoryId, contentKey: key }) => {
      const item = of === index ? known.get(memoryId) : undefined
      return item && item.contentKey === key && !item.memory.flagged ? [{ relation, item }] : []
    })
    const same = about.find(
      ({ relation, item }) =>
        relation === 'same' && !replaced.has(item.memory.id) && saysNoMore(draft.content, item.memory.content),
    )
    if (same && decision.kind === 'add') {
      repeated.add(same.item.memory.id)
      return { kind: 'noop', memoryId: same.item.memory.id }
    }
    const more = about
      .filter(({ relation, item }) => relation === 'replaces' && mayReplace(draft, item))
      .map(({ item }) => item.memory.id)
      .filter((id) => !replaced.has(id) && !repeated.has(id))
    if (more.length === 0) return decision
    for (const id of more) replaced.add(id)
    const before = decision.kind === 'update' ? decision : { supersedes: [], reasons: [] }
    return {
      ...decision,
      kind: 'update',
      supersedes: [...before.supersedes, ...new Set(more)],
      reasons: [...before.reasons, ...[...new Set(more)].map(advised)],
    }
  })
}

function withoutCompatible(decision: Decision, index: number, advice: readonly Advice[]): Decision {
  if (decision.kind !== 'update') return decision
  const compatible = new Set(
    advice.flatMap(({ draft, relation, memoryId }) => (draft === index && relation === 'compatible' ? [memoryId] : [])),
  )
  const supersedes = decision.supersedes.filter((id) => !compatible.has(id))
  const { conflicts, endings, doubtful } = decision
  if (supersedes.length === 0) return { kind: 'add', conflicts, endings, doubtful }
  return { ...decision, supersedes, reasons: decision.reasons.filter(({ memoryId }) => !compatible.has(memoryId)) }
}

function advised(memoryId: string): Reason {
  return { memoryId, rule: 'advised', slot: '', oldValue: '', newValue: '' }
}

/** Words that no rule has read, and identities of people: the model has read them. */
const unread = /^(?:SAYS|WHO)\|/

function mayReplace(draft: Draft, old: KnownMemory): boolean {
  const slots = new Set(draft.slots.map(({ slot }) => slot))
  return (
    old.memory.createdAt <= draft.createdAt &&
    outlives(draft.expiresAt, old.memory.expiresAt) &&
    old.slots.every(({ slot }) => slots.has(slot) || unread.test(slot)) &&
    !containsSentences(old.memory.content, draft.content)
  )
}
