/** Explains why a recall did not return the memories that the caller names. */
import { isId } from '../../core/ids.js'
import { checksumOf } from '../../core/memory.js'
import type { UserScope } from '../../core/scope.js'
import type { AskedQuery } from '../../retrieval/query/asked-query.js'
import type { Leads } from '../../retrieval/query/leads.js'
import type { Ranked, Weighed } from '../../retrieval/rank/candidate.js'
import { type FusionSettings, fuse } from '../../retrieval/rank/fuse.js'
import { behindReranked } from '../../retrieval/rank/rerank.js'
import { type RetrievalQuery, type Retrieved, retrieveBeside } from '../../retrieval/retrieve.js'
import type { KnownVersion } from '../../storage/ports/version-lookup.js'
import type { Deps } from '../deps.js'

export const notReturnedReasons = [
  'below_threshold',
  'beyond_limit',
  'not_a_candidate',
  'expired',
  'superseded',
  'created_later',
  'flagged',
  'other_project',
  'filtered',
  'failed_checksum',
  'not_found',
] as const

export interface NotReturned {
  readonly id: string
  readonly reason: (typeof notReturnedReasons)[number]
  /** The score that it got, or would have got as a candidate, and the resulting rank. Absent if it was not searched. */
  readonly scored?: { readonly memory: Weighed; readonly rank: number }
}

/** The results of all stages of a recall. */
export interface Finished {
  readonly query: RetrievalQuery
  /** How this query's signals were summed. */
  readonly fusion: FusionSettings
  readonly threshold: number
  readonly leads: Leads
  readonly retrieved: Retrieved
  readonly ranked: readonly Ranked[]
  readonly weighed: readonly Weighed[]
  readonly chosen: readonly Weighed[]
  readonly weigh: (ranked: readonly Ranked[]) => Weighed[]
}

export async function explainNotReturned(
  deps: Pick<Deps, 'storage' | 'indexes'>,
  scope: UserScope,
  memoryIds: readonly string[],
  recalled: Finished,
): Promise<NotReturned[]> {
  const returned = new Set(recalled.chosen.map(({ memory }) => memory.id))
  const asked = [...new Set(memoryIds)].filter((id) => !returned.has(id))
  const known = await deps.storage.versionsOf(
    scope,
    asked.filter((id) => isId('mem', id)),
  )
  const standings = asked.map((id) => {
    const versions = known.filter(({ memoryId }) => memoryId === id)
    return { id, ...standingOf(versions, recalled.query, scope.project, recalled.leads.onlyRows) }
  })
  const unsearched = standings.filter(({ id }) => !recalled.weighed.some(({ memory }) => memory.id === id))
  const besides = await scoredBeside(
    deps,
    scope,
    unsearched.flatMap(({ rows }) => rows),
    recalled,
  )
  return standings.map(({ id, reason, rows }): NotReturned => {
    const place = recalled.weighed.findIndex(({ memory }) => memory.id === id)
    const candidate = recalled.weighed[place]
    if (candidate)
      return { id, reason: whyNotChosen(candidate, recalled), scored: { memory: candidate, rank: place + 1 } }
    if (reason !== undefined) return { id, reason }
    const scored = rows.flatMap((row) => besides.get(row) ?? []).sort((a, b) => a.rank - b.rank)[0]
    return { id, reason: 'not_a_candidate', ...(scored ? { scored } : {}) }
  })
}

function whyNotChosen({ memory, score }: Weighed, { threshold }: Finished): NotReturned['reason'] {
  if (score < threshold) return 'below_threshold'
  return checksumOf(memory.content) === memory.checksum ? 'beyond_limit' : 'failed_checksum'
}

interface Standing {
  /** Why none of its versions was searched. */
  readonly reason?: NotReturned['reason']
  /** The versions that were searched. */
  readonly rows: readonly number[]
}

/** Applies the rules of the search index (`retrieval/index/version-columns.ts`) in order, until no version is left. */
function standingOf(
  versions: readonly KnownVersion[],
  query: AskedQuery,
  project: string | undefined,
  onlyRows: readonly number[] | undefined,
): Standing {
  const { moment, includeHistory, includeFlagged } = query
  const at = moment.kind === 'now' ? moment.now : moment.at
  const isPast = moment.kind === 'asOf'
  const rules: readonly (readonly [NotReturned['reason'], (version: KnownVersion) => boolean])[] = [
    ['created_later', ({ validFrom }) => !isPast || validFrom < at],
    ['superseded', ({ validTo }) => includeHistory || validTo === null || (isPast && validTo >= at)],
    ['expired', ({ expiresAt }) => expiresAt === null || expiresAt > at],
    ['flagged', ({ flagged }) => includeFlagged || !flagged],
    ['other_project', (version) => project === undefined || version.project === project],
    ['filtered', ({ row }) => onlyRows === undefined || onlyRows.includes(row)],
  ]
  if (versions.length === 0) return { reason: 'not_found', rows: [] }
  let left = versions
  for (const [reason, passes] of rules) {
    left = left.filter(passes)
    if (left.length === 0) return { reason, rows: [] }
  }
  return { rows: left.map(({ row }) => row) }
}

/** Scores each row with the code of the recall, among the recall's candidates and without the other rows asked about. */
async function scoredBeside(
  deps: Pick<Deps, 'storage' | 'indexes'>,
  scope: UserScope,
  rows: readonly number[],
  { query, fusion, leads, retrieved, ranked, weigh }: Finished,
): Promise<ReadonlyMap<number, NonNullable<NotReturned['scored']>>> {
  if (rows.length === 0) return new Map()
  const reranked = ranked.filter((candidate) => candidate.rerank !== null)
  const besides = await retrieveBeside(deps, scope, query, leads, fusion.weights, retrieved.looked, rows)
  const scored = new Map<number, NonNullable<NotReturned['scored']>>()
  for (const [row, { candidates, namesSpeaker }] of besides) {
    const own = fuse(candidates, fusion, namesSpeaker).filter((candidate) => candidate.row === row)
    const tail = reranked.length === 0 ? own : behindReranked(reranked, own, fusion)
    const weighed = weigh([...ranked, ...tail])
    const place = weighed.findIndex((candidate) => candidate.row === row)
    const memory = weighed[place]
    if (memory) scored.set(row, { memory, rank: place + 1 })
  }
  return scored
}
