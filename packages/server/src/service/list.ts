import { notFound } from '../core/errors.js'
import { isId } from '../core/ids.js'
import type { Memory, MemoryVersion } from '../core/memory.js'
import type { Scope } from '../core/scope.js'
import type { ListQuery, Page, Provenance } from '../storage/ports/memory-reads.js'
import type { Deps } from './deps.js'

export async function listMemories(deps: Deps, scope: Scope, query: Omit<ListQuery, 'now'>): Promise<Page<Memory>> {
  await deps.accesses.settle()
  const page = await deps.storage.list(scope, { ...query, now: deps.clock.now() })
  return query.asOf === undefined ? page : { ...page, items: page.items.map(withoutAccesses) }
}

/** Only the time of the last access is stored, so a list of the past shows none, like a recall of the past. */
function withoutAccesses(memory: Memory): Memory {
  return { ...memory, accessCount: 0, lastAccessed: null }
}

/** Finds superseded memories too, because history can be read by id, but no expired ones. */
export async function findMemory(deps: Deps, scope: Scope, memoryId: string): Promise<Memory> {
  await deps.accesses.settle()
  const memory = isId('mem', memoryId) ? await deps.storage.find(scope, memoryId, { now: deps.clock.now() }) : null
  if (memory === null) throw notFound('Memory')
  return memory
}

export interface MemoryHistory {
  readonly memory: Memory
  readonly versions: readonly MemoryVersion[]
  readonly provenance: readonly Provenance[]
  readonly next: HistoryMark | null
}

/** The versions come first, then the texts: after this version, or after this number of texts. */
export interface HistoryMark {
  readonly kind: 'version' | 'source'
  readonly at: number
}

export async function memoryHistory(
  deps: Deps,
  scope: Scope,
  memoryId: string,
  { after = { kind: 'version', at: 0 }, limit }: { readonly after?: HistoryMark | undefined; readonly limit: number },
): Promise<MemoryHistory> {
  const memory = await findMemory(deps, scope, memoryId)
  const versions =
    after.kind === 'version'
      ? await deps.storage.history(scope, memoryId, { after: after.at, limit })
      : { items: [], next: null }
  const found = { memory, versions: versions.items, provenance: [] }
  if (versions.next !== null) return { ...found, next: { kind: 'version', at: versions.next } }
  const skipped = after.kind === 'source' ? after.at : 0
  const left = limit - versions.items.length
  if (left === 0) return { ...found, next: { kind: 'source', at: skipped } }
  const texts = await deps.storage.provenance(scope, memoryId, { after: skipped, limit: left })
  return { ...found, provenance: texts.items, next: texts.next === null ? null : { kind: 'source', at: texts.next } }
}
