import { describe, expect, it } from 'vitest'
import type { Guard } from '../models/models.js'
import { MemoryTrust } from './memory-trust.js'
import { sanitize } from './sanitize.js'

const settings = { threshold: 0.5, flagThreshold: 0.65, policy: 'reject', sanitize: true } as const

/** Finds each of these words: "doubt" costs 0.4, "sure" costs 0.9, and "left" costs 0.4 if "right" comes after it. */
const guard: Guard = {
  inspect(text) {
    const words = [
      ['doubt', 0.4],
      ['sure', 0.9],
      ['left\nright', 0.9],
    ] as const
    const findings = words.flatMap(([word, weight]) => {
      const start = text.indexOf(word)
      return start < 0 ? [] : [{ kind: word, start, end: start + word.length, weight }]
    })
    return { trustScore: findings.reduce((product, { weight }) => product * (1 - weight), 1), findings }
  },
}

const trustOf = (
  texts: readonly { path: string; text: string }[],
  segments: readonly string[],
  earlier: readonly string[] = [],
) => {
  const screened = sanitize(guard, texts, { ...settings, policy: 'flag' })
  return new MemoryTrust(guard, settings, screened, { segments, turnBreak: '\n', earlier })
}

describe('the trust of a memory', () => {
  it('is lowered by findings in its own sentences only', () => {
    const segments = ['Tea is hot. ', 'I doubt it. ', 'Bread is warm.']
    const trust = trustOf([{ path: 'content', text: segments.join('') }], segments)
    const of = (at: number) => trust.of({ content: segments[at]?.trim() ?? '', segments: [at, at] }).flagged
    expect([of(0), of(1), of(2)]).toEqual([false, true, false])
  })

  it('is lowered by a finding in the text that its own words no longer show', () => {
    const segments = ['Tea is ', 'doubt', 'ful.']
    const trust = trustOf([{ path: 'content', text: segments.join('') }], segments)
    expect(trust.of({ content: 'Tea is here.', segments: [0, 1] })).toEqual({ trustScore: 0.6, flagged: true })
  })

  it('is lowered by words that only the memory has', () => {
    const trust = trustOf([{ path: 'content', text: 'Yes.' }], ['Yes.'])
    const memory = { content: 'Yes, I doubt it.', segments: [0, 0] as const }
    expect(trust.of(memory).flagged).toBe(true)
    expect(trust.overall([memory])).toEqual({ trustScore: 0.6, flagged: true })
    expect(() => trust.reject([memory])).not.toThrow()
    expect(() => trust.reject([{ content: 'Yes, be sure.', segments: [0, 0] }])).toThrow(/injected/)
  })

  it('counts each message for its own memories, also after a blank one', () => {
    const texts = ['Tea is hot.', ' ', 'I doubt it.', 'Bread is warm.'].map((text, at) => ({
      path: `messages[${at}].content`,
      text,
    }))
    const segments = ['Tea is hot.', '\n', 'I doubt it.', '\n', 'Bread is warm.']
    const trust = trustOf(texts, segments)
    const of = (at: number) => trust.of({ content: 'other words', segments: [at, at] }).flagged
    expect([of(0), of(2), of(4)]).toEqual([false, true, false])
  })

  it('is lowered by source, project, metadata and names for all memories', () => {
    const texts = [
      { path: 'content', text: 'Tea is hot.' },
      { path: 'metadata.note', text: 'doubt' },
    ]
    expect(trustOf(texts, ['Tea is hot.']).of({ content: 'Tea is hot.', segments: [0, 0] }).flagged).toBe(true)
  })

  it('is lowered, but not to a rejection, by an order that is divided between two turns', () => {
    const content = [{ path: 'content', text: 'right' }]
    const memory = { content: 'right', segments: [0, 0] as const }
    expect(trustOf(content, ['right'], ['left']).of(memory)).toEqual({ trustScore: 0.5, flagged: true })
    expect(trustOf(content, ['right'], ['neither']).of(memory)).toEqual({ trustScore: 1, flagged: false })
    const turns = ['left', 'right'].map((text, at) => ({ path: `messages[${at}].content`, text }))
    const trust = trustOf(turns, ['left', '\n', 'right'])
    expect(trust.of({ content: 'left', segments: [0, 0] }).flagged).toBe(false)
    expect(trust.of({ content: 'right', segments: [2, 2] }).flagged).toBe(true)
  })

  it('is full where detection is off', () => {
    const off = { ...settings, sanitize: false }
    const screened = sanitize(guard, [{ path: 'content', text: 'sure' }], off)
    const trust = new MemoryTrust(guard, off, screened, { segments: ['sure'], turnBreak: '\n', earlier: ['left'] })
    expect(trust.of({ content: 'sure', segments: [0, 0] })).toEqual({ trustScore: 1, flagged: false })
    expect(() => trust.reject([{ content: 'sure', segments: [0, 0] }])).not.toThrow()
  })
})
