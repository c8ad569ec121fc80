/**
 * What the service promised: every acknowledged write, and every write that was in flight when it was killed. A write
 * in flight may have happened or not, but never partially.
 */
import { asRecords } from '../http-client.js'

export type Operation =
  | {
      readonly kind: 'store'
      readonly writer: number
      readonly userId: string
      readonly sentences: readonly Sentence[]
    }
  | { readonly kind: 'update'; readonly memoryId: string; readonly sentence: Sentence }
  | { readonly kind: 'mark'; readonly memoryId: string; readonly mark: string }
  | { readonly kind: 'delete'; readonly memoryId: string }

/** A sentence with a unique word. */
export interface Sentence {
  readonly text: string
  readonly token: string
}

export interface Kept {
  readonly id: string
  readonly writer: number
  readonly userId: string
  readonly content: string
  /** A word that occurs only in this memory. */
  readonly token: string
  /** The mark in its metadata; null if the metadata is empty. */
  readonly mark: string | null
  /** Number of updates and marks, acknowledged or found after a kill. */
  readonly updates: number
}

export interface Problem {
  readonly kind:
    | 'refused'
    | 'lost'
    | 'changed'
    | 'half there'
    | 'not deleted'
    | 'unreadable'
    | 'from nowhere'
    /** The answer was wrong. */
    | 'answer'
    /** The request was sent but never answered. */
    | 'dropped'
    | 'late'
  readonly text: string
}

export interface Ledger {
  readonly kept: Map<string, Kept>
  readonly deleted: Map<string, Kept>
  readonly inFlight: Set<Operation>
  /** Ids that were already reported: each counts in one round only. */
  readonly reported: Set<string>
  /** Ids that the current round wrote: they are checked more closely. */
  readonly touched: Set<string>
  readonly acknowledged: { stores: number; memories: number; updates: number; marks: number; deletes: number }
}

export function emptyLedger(): Ledger {
  return {
    kept: new Map(),
    deleted: new Map(),
    inFlight: new Set(),
    reported: new Set(),
    touched: new Set(),
    acknowledged: { stores: 0, memories: 0, updates: 0, marks: 0, deletes: 0 },
  }
}

/** Records an acknowledgement; an acknowledgement that does not match the request is a problem. */
export function acknowledge(ledger: Ledger, operation: Operation, answer: Record<string, unknown>): Problem[] {
  if (operation.kind === 'store') {
    ledger.acknowledged.stores += 1
    return acknowledgeStore(ledger, operation, answer)
  }
  if (operation.kind === 'update') {
    ledger.acknowledged.updates += 1
    setUpdated(ledger, operation)
    return []
  }
  if (operation.kind === 'mark') {
    ledger.acknowledged.marks += 1
    setMarked(ledger, operation)
    return []
  }
  if (answer.deleted !== 1) return [{ kind: 'refused', text: `${operation.memoryId}: ${answer.deleted} deleted` }]
  ledger.acknowledged.deletes += 1
  setDeleted(ledger, operation.memoryId)
  return []
}

function acknowledgeStore(
  ledger: Ledger,
  operation: Extract<Operation, { kind: 'store' }>,
  answer: Record<string, unknown>,
): Problem[] {
  const memories = asRecords(answer.memories, 'store')
  const problems: Problem[] = []
  for (const memory of memories) {
    // Each sentence is new and contradicts nothing, so ADD is the only correct action.
    if (memory.action !== 'ADD') problems.push({ kind: 'refused', text: `${memory.id}: action ${memory.action}` })
    setKept(ledger, operation, String(memory.id), String(memory.content))
    ledger.acknowledged.memories += 1
  }
  const said = memories.map((memory) => String(memory.content)).join('\n')
  for (const { token } of operation.sentences) {
    if (!said.includes(token)) problems.push({ kind: 'half there', text: `the answer to a store lacks ${token}` })
  }
  return problems
}

export function setKept(
  ledger: Ledger,
  operation: Extract<Operation, { kind: 'store' }>,
  id: string,
  content: string,
): void {
  const token = operation.sentences.find((sentence) => content.includes(sentence.token))?.token ?? ''
  ledger.kept.set(id, {
    id,
    writer: operation.writer,
    userId: operation.userId,
    content,
    token,
    mark: null,
    updates: 0,
  })
  ledger.touched.add(id)
}

export function setUpdated(ledger: Ledger, { memoryId, sentence }: Extract<Operation, { kind: 'update' }>): void {
  const before = ledger.kept.get(memoryId)
  if (!before) return
  const after = { ...before, content: sentence.text, token: sentence.token, updates: before.updates + 1 }
  ledger.kept.set(memoryId, after)
  ledger.touched.add(memoryId)
}

export function setMarked(ledger: Ledger, { memoryId, mark }: Extract<Operation, { kind: 'mark' }>): void {
  const before = ledger.kept.get(memoryId)
  if (!before) return
  ledger.kept.set(memoryId, { ...before, mark, updates: before.updates + 1 })
  ledger.touched.add(memoryId)
}

export function setDeleted(ledger: Ledger, memoryId: string): void {
  const before = ledger.kept.get(memoryId)
  if (!before) return
  ledger.kept.delete(memoryId)
  ledger.deleted.set(memoryId, before)
  ledger.touched.add(memoryId)
}

/** Combines the counts of several ledgers for a report. */
export function joinLedgers(ledgers: readonly Ledger[]): Ledger {
  const joined = emptyLedger()
  for (const { acknowledged } of ledgers) {
    for (const name of ['stores', 'memories', 'updates', 'marks', 'deletes'] as const) {
      joined.acknowledged[name] += acknowledged[name]
    }
  }
  return joined
}
