/**
 * Of two memories of which one changes the other, the newer one comes first: while nobody has decided between them, and where only
 * a part of the older one is outdated and the question is about that part. If the question asks how it was before, the older one does.
 */
import type { PartRange } from '../../core/outdated.js'
import type { UserScope } from '../../core/scope.js'
import { maySupersede } from '../../core/trust.js'
import { areDatedApart, seriesOf } from '../../facts/dated-series.js'
import { clausesOf } from '../../ingest/outdated-part.js'
import type { FoundDate } from '../../language/dates/dates-in-text.js'
import { mayBeSame, namedDates } from '../../language/dates/named-dates.js'
import { codesIn, namesIn, onlyFirstHas } from '../../language/names/named-things.js'
import { saysThatItChanged } from '../../language/words/change-words.js'
import { startsAsCorrection } from '../../language/words/leaning-words.js'
import { countWords } from '../../language/words/word-count.js'
import type { FormerTime } from '../../retrieval/query/former.js'
import type { Ranked, Weighed } from '../../retrieval/rank/candidate.js'
import { chanceOf } from '../../retrieval/rank/fuse.js'
import type { RetrievalQuery } from '../../retrieval/retrieve.js'
import type { Contested } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'

/** Further down, the order no longer matters to a reader. */
const mostLookedAt = 40
/** Pairs about a part for which the question is compared with the clauses. */
const mostCompared = 4
const mostClauses = 8
/** A newer memory with at least this share of the older one's score matches the question by itself. */
const leastShare = 0.25
/** One with less has nothing to do with the question, and perhaps nothing with the older memory. */
const leastOfAny = 0.05
/** The same for a correction that says nothing by itself and so can't match a question: "I lied, 10:30", "No, it's Corinne". */
const leastOfLeaning = 0.01
const mostLeaningWords = 4
/** Below this chance, when read together with what it changes, a newer memory stays where it is. */
const leastAsChange = 0.1
/** With this chance it moves up, however poorly it matches the question by itself. */
const likelyAsChange = 0.5
/** A newer memory that lacks what the question names has to match nearly as well as the older one that has it. */
const leastWithoutName = 0.85
/** Where the reader finds the answer in the part of the older memory that still holds, and none in the newer one, the older one stays first. */
const surelyAnswers = 0.5
const hardlyAnswers = 0.1
/** Clauses that are about as close to the newer memory as the closest one. */
const mostFurther = 0.1
/** Of a newer memory, to see which clause it is about. */
const mostCharacters = 500

/** The pairs among the first of these memories. */
export async function changesAmong(
  { storage }: Pick<Deps, 'storage'>,
  scope: UserScope,
  ranked: readonly Ranked[],
): Promise<Contested[]> {
  const looked = ranked.slice(0, mostLookedAt)
  const ids = looked.map(({ memory }) => memory.id)
  const outdated = looked.flatMap(({ memory }) =>
    memory.outdated.flatMap(({ by, start, end }) =>
      by === null ? [] : [{ oldId: memory.id, newId: by, part: { start, end } }],
    ),
  )
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = (id: string) => places.get(id) ?? ids.length
  // The order in which they are applied matters, and the storage promises none.
  return [...outdated, ...(await storage.contested(scope, ids))].sort(
    (a, b) => placeOf(a.oldId) - placeOf(b.oldId) || placeOf(a.newId) - placeOf(b.newId),
  )
}

export async function currentFirst(
  deps: Pick<Deps, 'embedder'>,
  { vector, former, asked }: Pick<RetrievalQuery, 'vector' | 'former' | 'asked'>,
  weighed: readonly Weighed[],
  changes: readonly Contested[],
): Promise<Weighed[]> {
  const contested = [...changes, ...seriesAmong(weighed)]
  const memories = new Map(weighed.map(({ memory }) => [memory.id, memory]))
  const isBefore = ({ oldId, newId }: Contested) => wasBefore(former, memories.get(oldId), memories.get(newId))
  const dates = namedDates(asked.slice(0, mostCharacters))
  const still = contested.filter(
    (pair) => !isBefore(pair) && !isDatedApart(dates, memories.get(pair.oldId), memories.get(pair.newId)),
  )
  const current = inOrder(weighed, await concerned(deps, { vector, asked }, weighed, still))
  return former === null ? current : formerFirst(current, contested.filter(isBefore))
}

/** Only the best of them may be the answer. */
const mostOfSeries = 10

/** Values of different days do not contradict each other, but the latest is the current one. */
function seriesAmong(weighed: readonly Weighed[]): Contested[] {
  const values = weighed.slice(0, mostOfSeries).flatMap(({ memory }) => {
    const series = seriesOf(memory.content)
    return series === null ? [] : [{ memory, series }]
  })
  return values.flatMap((old) =>
    values
      .filter(({ series, memory }) => series === old.series && memory.createdAt > old.memory.createdAt)
      .filter(({ memory }) => areDatedApart(memory.content, old.memory.content))
      .map(({ memory }) => ({ oldId: old.memory.id, newId: memory.id, part: null })),
  )
}

/** Whether the question names a date or month that only the older memory mentions: "What did I weigh in September?" */
function isDatedApart(dates: readonly FoundDate[], older?: Said, newer?: Said): boolean {
  if (dates.length === 0 || !older || !newer || saysThatItChanged(newer.content)) return false
  const [before, after] = [older, newer].map(({ content }) => namedDates(content.slice(0, mostCharacters)))
  const isNamed = (found: readonly FoundDate[] = []) =>
    found.some(({ date }) => dates.some((asked) => mayBeSame(asked.date, date)))
  return after !== undefined && after.length > 0 && isNamed(before) && !isNamed(after)
}

type Said = Pick<Weighed['memory'], 'content'>

/** Whether the question is about the time before the newer memory changed the older one. */
function wasBefore(former: FormerTime | null, older?: Dated, newer?: Dated): boolean {
  if (former === null || !older || !newer) return false
  return former.until === null || (older.createdAt <= former.until && newer.createdAt > former.until)
}

type Dated = Pick<Weighed['memory'], 'createdAt'>

/** Of the memories that one changes, the best match moves up to its place, with its score. */
function formerFirst(weighed: readonly Weighed[], contested: readonly Contested[]): Weighed[] {
  const result = [...weighed]
  // The latest change moves last: "before" means what it replaced, not what was replaced earlier.
  const changes = weighed
    .filter(({ memory }) => contested.some(({ newId }) => newId === memory.id))
    .sort((a, b) => a.memory.createdAt - b.memory.createdAt)
  for (const change of changes) {
    const pairs = new Map(
      contested.flatMap((pair) => (pair.newId === change.memory.id ? [[pair.oldId, pair] as const] : [])),
    )
    const older = result.findIndex(({ memory }) => pairs.has(memory.id))
    const newer = result.findIndex(({ memory }) => memory.id === change.memory.id)
    const [moved, before] = [result[older], result[newer]]
    if (!moved || !before || older < newer) continue
    // If only a part of it was changed, its own match must tell that the question is about that part.
    const least = pairs.get(moved.memory.id)?.part === null ? leastOfAny : leastShare
    if (chanceOf(moved.score) < least * chanceOf(before.score)) continue
    if (!maySupersede(moved.memory.trustScore, before.memory.trustScore)) continue
    result.splice(older, 1)
    result.splice(newer, 0, { ...moved, score: before.score })
  }
  return result
}

/** Leaves out the pairs about a part that the question is not about. */
async function concerned(
  deps: Pick<Deps, 'embedder'>,
  { vector, asked }: Pick<RetrievalQuery, 'vector' | 'asked'>,
  weighed: readonly Weighed[],
  contested: readonly Contested[],
): Promise<Contested[]> {
  const places = new Map(weighed.map(({ memory }, place) => [memory.id, place]))
  const placeOf = (id: string) => places.get(id) ?? -1
  const behind = contested.filter(({ oldId, newId }) => placeOf(oldId) >= 0 && placeOf(newId) > placeOf(oldId))
  let left = mostCompared
  const kept: Contested[] = []
  for (const pair of behind) {
    const [older, newer] = [weighed[placeOf(pair.oldId)], weighed[placeOf(pair.newId)]]
    if (!older || !newer) continue
    const read = newer.asChange?.get(pair.oldId)
    if (read !== undefined && read < leastAsChange) continue
    if (lacksWhatIsNamed(asked, older, newer)) continue
    if (read !== undefined && read >= likelyAsChange) {
      kept.push(pair)
      continue
    }
    if (chanceOf(newer.score) < leastShareOf(newer) * chanceOf(older.score)) continue
    left -= pair.part === null ? 0 : 1
    if (pair.part === null || (left >= 0 && (await isAbout(deps, vector, older, newer, pair.part)))) kept.push(pair)
  }
  return kept
}

const past = /\b(?:did|was|were|had)\b/iu

/**
 * "When did I finish Middlemarch?" asks about what happened, whatever book came later, and "INV-20931" about this invoice. A question about
 * today may name an old value: "Do I still live in Gothenburg?"
 */
function lacksWhatIsNamed(asked: string, older: Weighed, newer: Weighed): boolean {
  const [one, other] = [older.memory.content, newer.memory.content]
  if (chanceOf(newer.score) >= leastWithoutName * chanceOf(older.score)) return false
  return onlyFirstHas(codesIn(asked), one, other) || (past.test(asked) && onlyFirstHas(namesIn(asked, one), one, other))
}

function leastShareOf({ memory: { content } }: Weighed): number {
  const isLeaning = startsAsCorrection.test(content) || countWords(content) <= mostLeaningWords
  return isLeaning ? leastOfLeaning : leastOfAny
}

/**
 * Whether the newer memory matches the question too, or the clause that the question is about is the outdated part, or the one that
 * the newer memory is about: the part may have been recorded a clause too far.
 */
async function isAbout(
  deps: Pick<Deps, 'embedder'>,
  question: Float32Array | null,
  older: Weighed,
  newer: Weighed,
  part: PartRange,
): Promise<boolean> {
  if (chanceOf(newer.score) >= leastShare * chanceOf(older.score)) return true
  // The reader reads what remains of the older one.
  if ((older.rerank?.score ?? 0) >= surelyAnswers && (newer.rerank?.score ?? 1) <= hardlyAnswers) return false
  const { content } = older.memory
  const clauses = clausesOf(content).slice(0, mostClauses)
  if (clauses.length < 2) return true
  if (question === null) return false
  const texts = [
    newer.memory.content.slice(0, mostCharacters),
    ...clauses.map(({ start, end }) => content.slice(start, end)),
  ]
  const [news, ...vectors] = await deps.embedder.embed(texts)
  if (!news) return false
  const asked = vectors.map((vector) => cosine(question, vector))
  const told = vectors.map((vector) => cosine(news, vector))
  const at = asked.indexOf(Math.max(...asked))
  const clause = clauses[at]
  if (clause && clause.start < part.end && clause.end > part.start) return true
  return (told[at] ?? 0) >= Math.max(...told) - mostFurther
}

function cosine(one: Float32Array, two: Float32Array): number {
  let sum = 0
  for (const [at, value] of one.entries()) sum += value * (two[at] ?? 0)
  return sum
}

/** Of several memories that change the same one, the newest comes first. */
function beforeOlderChanges(
  result: readonly Weighed[],
  older: number,
  moved: Weighed,
  contested: readonly Pick<Contested, 'oldId' | 'newId'>[],
): number {
  const oldId = result[older]?.memory.id
  const changes = new Set(contested.flatMap((pair) => (pair.oldId === oldId ? [pair.newId] : [])))
  let at = older
  for (let above = result[at - 1]; above; above = result[at - 1]) {
    if (!changes.has(above.memory.id) || above.memory.createdAt >= moved.memory.createdAt) break
    at -= 1
  }
  return at
}

/** The newer memory moves up to the place of the older one, with its score. */
export function inOrder(
  weighed: readonly Weighed[],
  contested: readonly Pick<Contested, 'oldId' | 'newId'>[],
): Weighed[] {
  const result = [...weighed]
  for (const { oldId, newId } of contested) {
    const older = result.findIndex(({ memory }) => memory.id === oldId)
    const newer = result.findIndex(({ memory }) => memory.id === newId)
    const [before, moved] = [result[older], result[newer]]
    if (!before || !moved || newer < older || !maySupersede(moved.memory.trustScore, before.memory.trustScore)) continue
    result.splice(newer, 1)
    result.splice(beforeOlderChanges(result, older, moved, contested), 0, { ...moved, score: before.score })
  }
  return result
}
