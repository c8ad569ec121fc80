/** Computes every signal from what the index and the store know about each candidate. */
import type { BareMemory } from '../../core/memory.js'
import { remainingText } from '../../core/outdated.js'
import { overlaps, type TimeSpan, timeFit } from '../../language/dates/time-span.js'
import { type AskedQuery, isDialogue } from '../query/asked-query.js'
import { datesIn } from '../query/question-time.js'
import { askedAbout, speakerFit, speakerOf } from '../query/speaker.js'
import { askedSubject, subjectFit } from '../query/subject.js'
import { questionBefore, statementShare, type Turn } from '../query/turns.js'
import type { Candidate, Signal } from './candidate.js'
import { type FusionWeights, ownScore } from './fuse.js'

/** The data of the index and the store about a candidate. */
export interface Evidence {
  readonly row: number
  readonly memory: BareMemory
  readonly semantic: Signal | null
  readonly keyword: Signal | null
  readonly graph: number
}

/** A purely semantic query uses no other signal. */
export function signalsOf(
  evidence: readonly Evidence[],
  query: Pick<AskedQuery, 'text' | 'asked' | 'hybrid'>,
  spans: readonly TimeSpan[] | null,
  weights: FusionWeights,
): { candidates: Candidate[]; namesSpeaker: boolean } {
  if (!query.hybrid) {
    const unasked = { graph: null, speaker: null, subject: null, time: null, reply: null, statement: null }
    return {
      candidates: evidence.map(({ row, memory, semantic, keyword }) => ({
        row,
        memory,
        signals: { semantic, keyword, ...unasked },
      })),
      namesSpeaker: false,
    }
  }
  const turns = evidence.map((item) => turnOf(item, weights))
  const asked = askedAbout(query.text, speakersOf(turns))
  const byRow = new Map(turns.map((turn) => [turn.row, turn]))
  const graph = ranked(evidence.map((item) => item.graph))
  const speaker = asked && ranked(turns.map((turn) => speakerFit(asked, turn)))
  // In a dialogue, "I" is several people.
  const whose = weights.subject > 0 && !isDialogue(query) ? askedSubject(query.text) : null
  const subject =
    whose && ranked(turns.map(({ speaker, content }) => (speaker === null ? subjectFit(whose, content) : 1)))
  const time = spans && ranked(turns.map((turn) => timeOf(spans, turn)))
  // An answer gets the score of the question before it.
  const reply = ranked(turns.map((turn) => questionBefore(turn, byRow)?.own ?? 0))
  const statement = ranked(turns.map(statementShare))
  return {
    candidates: evidence.map(({ row, memory, semantic, keyword }, index) => ({
      row,
      memory,
      signals: {
        semantic,
        keyword,
        graph: graph[index] ?? null,
        speaker: speaker?.[index] ?? null,
        subject: subject?.[index] ?? null,
        time: time?.[index] ?? null,
        reply: reply[index] ?? null,
        statement: statement[index] ?? null,
      },
    })),
    namesSpeaker: asked !== null && asked.named.size > 0,
  }
}

interface FoundTurn extends Turn {
  readonly own: number
}

function turnOf({ row, memory, semantic, keyword }: Evidence, weights: FusionWeights): FoundTurn {
  return {
    row,
    speaker: speakerOf(memory.content),
    content: remainingText(memory.content, memory.outdated),
    saidAt: memory.createdAt,
    own: ownScore({ semantic: semantic?.score ?? null, keyword: keyword?.score ?? null }, weights),
  }
}

/** Everybody who said at least two of them: a name that precedes a colon once may be a title. */
function speakersOf(turns: readonly Turn[]): Set<string> {
  const once = new Set<string>()
  const speakers = new Set<string>()
  for (const { speaker } of turns) {
    if (speaker === null) continue
    if (once.has(speaker)) speakers.add(speaker)
    once.add(speaker)
  }
  return speakers
}

/** Both the time at which it was said and the dates that it mentions count. */
function timeOf(spans: readonly TimeSpan[], { content, saidAt }: Turn): number {
  const fit = timeFit(spans, saidAt)
  if (fit === 1) return 1
  return datesIn(content, saidAt).some((date) => spans.some((span) => overlaps(date, span))) ? 1 : fit
}

/** Equal scores share a rank; a score of 0 has none. */
function ranked(scores: readonly number[]): Signal[] {
  const descending = [...new Set(scores)].sort((a, b) => b - a)
  const rankOf = new Map(descending.map((score, index) => [score, index + 1]))
  return scores.map((score) => ({ score, rank: score === 0 ? null : (rankOf.get(score) ?? null) }))
}
