import { describe, expect, it } from 'vitest'
import { candidatesOf } from './judge-candidates.js'
import type { PreparedMemory } from './prepared-memory.js'

const day = 86_400_000

/** What `candidatesOf` looks at. */
function draftOf(content: string, changes: number) {
  return {
    content,
    contentKey: content,
    changes,
    flagged: false,
    createdAt: 9 * day,
    turn: 0,
    vector: new Float32Array(),
  } as unknown as PreparedMemory
}

/** The known memories that are read with the text, which seems to change nothing unless `changes` says so. */
function readWith(fresh: string, known: Readonly<Record<string, number>>, changes = 0): string[] {
  const nearest = Object.entries(known).map(([content, cosine]) => {
    const memory = { id: content, content, createdAt: 0, flagged: false, outdated: [] }
    return { draft: 0, memory, cosine, follows: false }
  })
  return candidatesOf([draftOf(fresh, changes)], { nearest, recent: [] }, (content) => content).map(
    ({ memory }) => memory.content,
  )
}

describe('the memories that the judging model reads with a text that seems to change nothing', () => {
  it.each([
    ['very close', 0.45, 'nobody at ours eats meat', true],
    ['fairly close, without a common word', 0.35, 'nobody at ours eats meat', false],
    ['fairly close, with a common word', 0.3, 'the household is without animals on the plate', true],
    ['hardly close, with a common word', 0.2, 'the household is without animals on the plate', false],
    ['hardly close, with two common words', 0.2, 'vegetarians: our household', true],
    ['not close, whatever the words', 0.1, 'vegetarians: our household', false],
  ])('%s', (_, cosine, old, isRead) => {
    expect(readWith('a vegetarian household', { [old]: cosine })).toEqual(isRead ? [old] : [])
  })

  it('are more if it seems to change something', () => {
    const old = 'nobody at ours eats meat'
    expect(readWith('a vegetarian household', { [old]: 0.2 }, 0.5)).toEqual([old])
  })

  it('in other languages need no common word', () => {
    const old = 'Bei uns kommt kein Fleisch auf den Tisch.'
    expect(readWith('Wir sind alle Vegetarier und das schon lange.', { [old]: 0.3 })).toEqual([old])
  })
})
