import { describe, expect, it } from 'vitest'
import { wholeSpan } from '../../language/dates/time-span.js'
import { defaultFusion } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'
import { type Evidence, signalsOf } from './signals.js'

const may = wholeSpan({ year: 2023, month: 4 })

function found(row: number, content: string, createdAt = 0, score = 0.5): Evidence {
  const { memory } = candidateWith({ id: `mem_${row}`, content, createdAt }, {})
  return { row, memory, semantic: { score, rank: 1 }, keyword: { score, rank: 1 }, graph: 0 }
}

function signalsFor(
  text: string,
  evidence: readonly Evidence[],
  options: { hybrid?: boolean; spans?: [typeof may] } = {},
) {
  return signalsOf(
    evidence,
    { text, asked: text, hybrid: options.hybrid ?? true },
    options.spans ?? null,
    defaultFusion.weights,
  )
}

const dialogue = [
  found(1, 'Caroline: What did you paint?', 0, 0.6),
  found(2, 'Melanie: A sunrise.', 1000, 0.1),
  found(3, 'Caroline: I painted too.', 2000),
  found(4, 'Melanie: Caroline paints well.', 3000),
]

describe('signalsOf', () => {
  it('scores whose words fit the question, and how well each turn answers the question before it', () => {
    const { candidates, namesSpeaker } = signalsFor('What did Caroline paint?', dialogue)
    expect(namesSpeaker).toBe(true)
    expect(candidates.map(({ signals }) => signals.speaker?.score)).toEqual([1, 0, 1, 0.5])
    expect(candidates.map(({ signals }) => signals.speaker?.rank)).toEqual([1, null, 1, 2])
    expect(candidates.map(({ signals }) => signals.reply?.score)).toEqual([0, expect.closeTo(0.6, 9), 0, 0])
    expect(candidates.map(({ signals }) => signals.statement?.score)).toEqual([0, 1, 1, 1])
  })

  it('has no speaker or time signal if the question mentions neither', () => {
    const { candidates, namesSpeaker } = signalsFor('What was painted?', dialogue)
    expect(namesSpeaker).toBe(false)
    for (const { signals } of candidates) expect(signals).toMatchObject({ speaker: null, subject: null, time: null })
  })

  it('does not mistake a title before a colon for a speaker', () => {
    const { namesSpeaker } = signalsFor('What is new in Rome?', [found(1, 'Rome: a guide'), found(2, 'I like pasta.')])
    expect(namesSpeaker).toBe(false)
  })

  it('uses the time at which a memory was said, or the dates that it mentions', () => {
    const { candidates } = signalsFor(
      'What was in May 2023?',
      [
        found(1, 'a party', may.from + 1),
        found(2, 'the wedding will be on 7 May 2023', 0),
        found(3, 'something else', 0),
      ],
      { spans: [may] },
    )
    expect(candidates.map(({ signals }) => signals.time?.score)).toEqual([1, 1, expect.closeTo(0, 9)])
  })

  it('has only the semantic signal for a purely semantic query', () => {
    const { candidates, namesSpeaker } = signalsFor('What did Caroline paint?', dialogue, {
      hybrid: false,
      spans: [may],
    })
    expect(namesSpeaker).toBe(false)
    const unasked = { graph: null, speaker: null, subject: null, time: null, reply: null, statement: null }
    for (const { signals } of candidates) expect(signals).toMatchObject(unasked)
  })

  it('returns no candidates for no evidence', () => {
    expect(signalsFor('Caroline?', [])).toEqual({ candidates: [], namesSpeaker: false })
  })
})
