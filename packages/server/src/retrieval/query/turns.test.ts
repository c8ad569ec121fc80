import { describe, expect, it } from 'vitest'
import { speakerOf } from './speaker.js'
import { questionBefore, statementShare } from './turns.js'

const share = (content: string) => statementShare({ speaker: speakerOf(content), content })

describe('statementShare', () => {
  it.each([
    ['Bob: I went to Rome.', 1],
    ['Bob: Rome', 1],
    ['Bob: Where did you go?', 0],
    ['Bob: Wow! Where did you go?', 0.5],
    ['Bob: It cost 3.5 euros. Really?!', 0.5],
    ['Bob: 何を買ったの？', 0],
    ['Bob: ', 1],
    ['Bob: She asked "why?" and left', 0.5],
  ])('of %j is %d', (content, expected) => {
    expect(share(content)).toBeCloseTo(expected, 9)
  })

  it('is 1 for a user and an assistant, whatever they ask', () => {
    expect(share('Where should I go?')).toBe(1)
    expect(share('Assistant: Would you like more?')).toBe(1)
  })
})

describe('questionBefore', () => {
  const minute = 60_000
  type Said = string | readonly [content: string, saidAt: number]
  const dialogue = (said: readonly Said[]) =>
    said.map((item, index) => {
      const [content, saidAt] = typeof item === 'string' ? [item, index * minute] : item
      return { row: index + 1, speaker: speakerOf(content), content, saidAt }
    })
  const before = (...said: Said[]) => {
    const turns = dialogue(said)
    const last = turns.at(-1)
    return last && (questionBefore(last, new Map(turns.map((turn) => [turn.row, turn])))?.content ?? null)
  }

  it('is the question of another person that a turn answers', () => {
    expect(before('Bob: Where were you?', 'Ana: In Rome.')).toBe('Bob: Where were you?')
    expect(before('Bob: Where were you?', 'In Rome.')).toBe('Bob: Where were you?')
  })

  it('precedes an answer of several sentences', () => {
    expect(before('Bob: Where were you?', 'Ana: Guess!', 'Ana: In Rome.')).toBe('Bob: Where were you?')
    expect(before('Bob: Where were you?', 'Ana: a', 'Ana: b', 'Ana: c', 'Ana: In Rome.')).toBeNull()
  })

  it('is null if the other person asked nothing, or asked long ago, or later', () => {
    expect(before('Bob: Nice.', 'Ana: In Rome.')).toBeNull()
    expect(before('Bob: Where? Ha', 'Bob: Nice.', 'Ana: In Rome.')).toBeNull()
    expect(before(['Bob: Where were you?', 0], ['Ana: In Rome.', 2 * 3_600_000])).toBeNull()
    expect(before(['Bob: Where were you?', 10], ['Ana: In Rome.', 0])).toBeNull()
  })

  it('is what an assistant asked at the end of its turn', () => {
    expect(before('Assistant: Which city?', 'Rome')).toBe('Assistant: Which city?')
    const offer = 'Assistant: Rome has seven hills. Which of them do you like? 🙂'
    expect(before(offer, 'The Aventine.')).toBe(offer)
    expect(before('Assistant: Why Rome? Because of its seven hills.', 'I like the Aventine.')).toBeNull()
  })

  it('is null for the answers of an assistant', () => {
    expect(before('Where is Rome?', 'Assistant: In Italy.')).toBeNull()
  })

  it('is null without a previous turn', () => {
    expect(before('Ana: In Rome.')).toBeNull()
  })
})
