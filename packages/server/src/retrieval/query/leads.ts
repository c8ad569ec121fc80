/** Everything that can be found out about a query without its vector, while the query is being embedded. */
import { msPerDay } from '../../core/clock.js'
import { nameKey } from '../../core/entity.js'
import type { UserScope } from '../../core/scope.js'
import type { TimeSpan } from '../../language/dates/time-span.js'
import type { HydratedVersion, IndexFeed } from '../../storage/ports/index-feed.js'
import type { Refreshed, UserIndexes } from '../index/user-indexes.js'
import type { FusionWeights } from '../rank/fuse.js'
import { type Agenda, agendaIn } from './agenda.js'
import type { AskedQuery } from './asked-query.js'
import { type AskedTime, askedTime } from './question-time.js'

export interface Leads {
  /** Rows that pass the caller's filters. Undefined without a filter. */
  readonly onlyRows: readonly number[] | undefined
  /** By row, 0 to 1: how significant it is that the row is about an entity in the query, or about a neighbour of one. */
  readonly graphByRow: ReadonlyMap<number, number>
  /** The times that the query mentions. Null if it mentions none. */
  readonly spans: readonly TimeSpan[] | null
  /** Set if the query only asks what takes place then. */
  readonly agenda: Agenda | null
  readonly refreshed: Refreshed
  /** Versions that were read ahead, by row: those with most of the query's words. */
  readonly readAhead: ReadonlyMap<number, HydratedVersion>
}

const connectedLimit = 200
/** Up to this many rows about the entities of a query, each row counts in full. */
const tellingRows = 10

export async function findLeads(
  deps: { readonly storage: IndexFeed; readonly indexes: UserIndexes },
  scope: UserScope,
  query: AskedQuery,
  weights: FusionWeights,
): Promise<Leads> {
  const refreshing = deps.indexes.refresh(scope)
  const agenda = query.hybrid && weights.time > 0 ? agendaIn(query.asked, askedAt(query)) : null
  const [refreshed, readAhead, onlyRows, graphByRow, spans] = await Promise.all([
    refreshing,
    refreshing.then((refreshed) => readByWords(deps, scope, query, weights, refreshed)),
    query.filter ? deps.storage.matching(scope, query.filter) : undefined,
    query.hybrid && weights.graph > 0 ? connectedRows(deps.storage, scope, query.text) : new Map<number, number>(),
    agenda?.spans ?? (query.hybrid && weights.time > 0 ? spansAsked(deps.indexes, scope, query) : null),
  ])
  return { refreshed, readAhead, onlyRows, graphByRow, spans, agenda }
}

/** The moment that a query asks about. */
export function askedAt({ moment }: Pick<AskedQuery, 'moment'>): number {
  return moment.kind === 'now' ? moment.now : moment.at
}

/** About half of the final best, and reading them costs no time while the query is being embedded. */
const readAheadLimit = 40

async function readByWords(
  deps: { readonly storage: IndexFeed; readonly indexes: UserIndexes },
  scope: UserScope,
  { text, hybrid, filter, moment, includeHistory, includeFlagged }: AskedQuery,
  weights: FusionWeights,
  refreshed: Refreshed,
): Promise<Map<number, HydratedVersion>> {
  // With a filter, it is not known yet which of them pass. In the storage, the search that follows would have to read everything again.
  if (!hybrid || weights.keyword === 0 || filter || refreshed.searchedIn === 'storage') return new Map()
  const wanted = { vector: null, text, moment, includeHistory, includeFlagged, limit: readAheadLimit }
  const { hits } = await deps.indexes.search(scope, wanted, refreshed)
  if (hits.length === 0) return new Map()
  const versions = await deps.storage.hydrate(
    scope,
    hits.map(({ row }) => row),
    { vectors: true },
  )
  return new Map(versions.map((version) => [version.row, version]))
}

const mostWords = 64
const mostWordsOfName = 4
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const mostUnspaced = 64
const mostOfUnspacedName = 8

/** Every run of up to four words, and where no spaces are written, every run of two to eight characters. */
function possibleNames(text: string): Set<string> {
  const words = nameKey(text.slice(0, 1000)).split(' ').filter(Boolean).slice(0, mostWords)
  const keys = new Set(runsOf(words, 1, mostWordsOfName).map((run) => nameKey(run.join(' '))))
  let left = mostUnspaced
  for (const word of words) {
    if (!unspaced.test(word)) continue
    const characters = [...word].slice(0, left)
    left -= characters.length
    for (const run of runsOf(characters, 2, mostOfUnspacedName)) keys.add(run.join(''))
  }
  keys.delete('')
  return keys
}

function runsOf(units: readonly string[], least: number, most: number): string[][] {
  return units.flatMap((_, start) =>
    Array.from({ length: Math.max(0, Math.min(most, units.length - start) - least + 1) }, (_, more) =>
      units.slice(start, start + least + more),
    ),
  )
}

/** The store knows which of the possible names are entities. */
async function connectedRows(storage: IndexFeed, scope: UserScope, text: string): Promise<Map<number, number>> {
  const keys = possibleNames(text)
  if (keys.size === 0) return new Map()
  const connected = await storage.connected(scope, [...keys], connectedLimit)
  // A name that occurs everywhere, such as a speaker's, says nothing: it would lift every memory that mentions it.
  const specificity = Math.min(1, tellingRows / connected.length) ** 2
  return new Map(connected.map(({ row, hops }) => [row, (hops === 0 ? 1 : 0.5) * specificity]))
}

async function spansAsked(
  indexes: UserIndexes,
  scope: UserScope,
  query: AskedQuery,
): Promise<readonly TimeSpan[] | null> {
  const asked = askedTime(query.asked, askedAt(query))
  if (!asked) return null
  if (asked.spans.length > 0) return asked.spans
  return asked.event && aroundEvent(indexes, scope, query, asked.event)
}

/** A memory with a smaller share of an event's words is not about the event. */
const leastOfEvent = 0.2

/** Takes the time of an event from the memory with most of its words. */
async function aroundEvent(
  indexes: UserIndexes,
  scope: UserScope,
  { moment, includeHistory, includeFlagged }: AskedQuery,
  event: NonNullable<AskedTime['event']>,
): Promise<readonly TimeSpan[] | null> {
  const { hits } = await indexes.search(scope, {
    vector: null,
    text: event.text,
    moment,
    includeHistory,
    includeFlagged,
    limit: 1,
  })
  const [hit] = hits
  if (!hit || (hit.keyword ?? 0) < leastOfEvent) return null
  // A statement from the day of an event may belong to the time before or after it.
  return event.relation === 'before'
    ? [{ from: -Infinity, to: hit.saidAt + msPerDay }]
    : [{ from: hit.saidAt - msPerDay, to: Infinity }]
}
