/** From what was found of each candidate to what every signal says of it. */
import type { BareMemory } from '../core/memory.js'
import type { Candidate, Signal } from './candidate.js'
import { type FusionWeights, ownScore } from './fuse.js'
import { datesIn } from './question-time.js'
import type { AskedQuery } from './retrieve.js'
import { type Asked, askedAbout, speakerFit, speakerOf } from './speaker.js'
import { overlaps, type TimeSpan, timeFit } from './time-span.js'
import { questionBefore, statementShare } from './turns.js'

/** What the index and the store know of a candidate. */
export interface Evidence {
  readonly row: number
  readonly memory: BareMemory
  readonly semantic: Signal | null
  readonly keyword: Signal | null
  readonly graph: number
}

/** A purely semantic query asks no other signal. */
export function signalsOf(
  evidence: readonly Evidence[],
  query: Pick<AskedQuery, 'text' | 'hybrid'>,
  spans: readonly TimeSpan[] | null,
  weights: FusionWeights,
): { candidates: Candidate[]; namesSpeaker: boolean } {
  if (!query.hybrid) {
    const unasked = { graph: null, speaker: null, time: null, reply: null, statement: null }
    return {
      candidates: evidence.map(({ row, memory, semantic, keyword }) => ({
        row,
        memory,
        signals: { semantic, keyword, ...unasked },
      })),
      namesSpeaker: false,
    }
  }
  const asked = askedAbout(query.text, speakersOf(evidence))
  const graph = ranked(evidence.map((item) => item.graph))
  const speaker = asked && ranked(evidence.map(({ memory }) => fitOf(asked, memory)))
  const time = spans && ranked(evidence.map(({ memory }) => timeOf(spans, memory)))
  const reply = ranked(repliesOf(evidence, weights))
  const statement = ranked(evidence.map(({ memory }) => statementShare(memory.content)))
  return {
    candidates: evidence.map(({ row, memory, semantic, keyword }, index) => ({
      row,
      memory,
      signals: {
        semantic,
        keyword,
        graph: graph[index] ?? null,
        speaker: speaker?.[index] ?? null,
        time: time?.[index] ?? null,
        reply: reply[index] ?? null,
        statement: statement[index] ?? null,
      },
    })),
    namesSpeaker: asked !== null && asked.named.size > 0,
  }
}

function speakersOf(evidence: readonly Evidence[]): Set<string> {
  return new Set(evidence.flatMap(({ memory }) => speakerOf(memory.content) ?? []))
}

function fitOf(asked: Asked, { content }: BareMemory): number {
  return speakerFit(asked, speakerOf(content), content)
}

/** When it was said counts, and as much the dates that it speaks of. */
function timeOf(spans: readonly TimeSpan[], { content, createdAt }: BareMemory): number {
  const fit = timeFit(spans, createdAt)
  if (fit === 1) return 1
  return datesIn(content, createdAt).some((date) => spans.some((span) => overlaps(date, span))) ? 1 : fit
}

/** As much as the question before it fits by itself. */
function repliesOf(evidence: readonly Evidence[], weights: FusionWeights): number[] {
  const turns = evidence.map(({ row, memory, semantic, keyword }) => ({
    row,
    content: memory.content,
    saidAt: memory.createdAt,
    own: ownScore({ semantic: semantic?.score ?? null, keyword: keyword?.score ?? null }, weights),
  }))
  const byRow = new Map(turns.map((turn) => [turn.row, turn]))
  return turns.map((turn) => questionBefore(turn, byRow)?.own ?? 0)
}

/** Equal scores share a rank; a score of 0 has none. */
function ranked(scores: readonly number[]): Signal[] {
  const descending = [...new Set(scores)].sort((a, b) => b - a)
  const rankOf = new Map(descending.map((score, index) => [score, index + 1]))
  return scores.map((score) => ({ score, rank: score === 0 ? null : (rankOf.get(score) ?? null) }))
}
