import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** The fields are described in cases/natural/README.md. */
interface NaturalCase {
  id: string
  category: string
  voice: string
  turns: { role: string; name?: string; content: string; at: string }[]
  questions: { ask: string; right: string[]; outdated: string[]; wrong?: string[] }[]
  expect: { stored: Record<string, boolean>; ended: string[]; kept: string[]; same: number[][] }
}

/** Category → the smallest number of cases per half. */
const MINIMUM = {
  change: 35,
  correction: 20,
  end: 20,
  addition: 25,
  hypothesis: 20,
  'third-person': 20,
  'small-talk': 25,
  compound: 20,
  duplicate: 20,
  'coding-agent': 25,
  context: 20,
}
const CATEGORIES = Object.keys(MINIMUM)
const NEAR_DUPLICATE = 0.6

function read(half: string): NaturalCase[] {
  const text = readFileSync(new URL(`./cases/natural/${half}.jsonl`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as NaturalCase)
}

const dev = read('dev')
const sealed = read('sealed')
const cases = [...dev, ...sealed]

/** Failures name ids only: a failing run must not print the sealed half. */
function idsWhere(broken: (one: NaturalCase) => boolean): string[] {
  return cases.filter(broken).map(({ id }) => id)
}

function turnsWith(one: NaturalCase, part: string): number[] {
  const sought = part.toLowerCase()
  return [...one.turns.keys()].filter((turn) => one.turns[turn]?.content.toLowerCase().includes(sought))
}

function rightTurns(one: NaturalCase, right: readonly string[]): Set<number> {
  return new Set(right.flatMap((part) => turnsWith(one, part)))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function tokens(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((token) => b.has(token)).length
  return shared / Math.max(1, a.size + b.size - shared)
}

/** The token sets that may not recur in the other half: the whole case, and each turn of a user. */
function fingerprints(one: NaturalCase): Set<string>[] {
  const said = one.turns.filter(({ role }) => role === 'user').map(({ content }) => tokens(content))
  return [tokens(one.turns.map(({ content }) => content).join(' ')), ...said].filter(({ size }) => size > 0)
}

describe('the natural cases', () => {
  it('have unique ids', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    expect(idsWhere(({ id }) => !/^nat-\d{4}$/.test(id))).toEqual([])
  })

  it('have a known category, a voice, and turns with a role, a text and a time in order', () => {
    const broken = idsWhere(({ category, voice, turns }) => {
      const times = turns.map(({ at }) => Date.parse(at))
      const inOrder = times.every((time, turn) => turn === 0 || time > (times[turn - 1] ?? Number.NaN))
      const complete = turns.every(
        ({ role, name, content }) =>
          ['user', 'assistant'].includes(role) && isText(content) && (name === undefined || isText(name)),
      )
      return !CATEGORIES.includes(category) || !isText(voice) || turns.length === 0 || !complete || !inOrder
    })
    expect(broken).toEqual([])
  })

  it('have well-formed questions', () => {
    const broken = idsWhere(({ questions }) =>
      questions.some(
        ({ ask, right, outdated, wrong = [] }) =>
          !isText(ask) || !isTexts(right) || right.length === 0 || !isTexts(outdated) || !isTexts(wrong),
      ),
    )
    expect(broken).toEqual([])
  })

  it('have expectations that refer to existing turns', () => {
    const broken = idsWhere(({ turns, expect: { stored, ended, kept, same } }) => {
      const exists = (turn: number) => Number.isInteger(turn) && turn >= 0 && turn < turns.length
      const storedFits = Object.entries(stored).every(([turn, is]) => exists(Number(turn)) && typeof is === 'boolean')
      const sameFits = same.every((pair) => pair.length === 2 && pair[0] !== pair[1] && pair.every(exists))
      return !storedFits || !sameFits || !isTexts(ended) || !isTexts(kept)
    })
    expect(broken).toEqual([])
  })

  it('quote every right answer from a turn that may be stored', () => {
    const broken = idsWhere((one) =>
      one.questions.some(({ right }) =>
        right.some((part) => turnsWith(one, part).every((turn) => one.expect.stored[turn] === false)),
      ),
    )
    expect(broken).toEqual([])
  })

  it('quote every outdated answer from a turn before the right one', () => {
    const broken = idsWhere((one) =>
      one.questions.some(({ right, outdated }) => {
        const last = Math.max(...rightTurns(one, right))
        return outdated.some((part) => {
          const turns = turnsWith(one, part)
          return turns.length === 0 || turns.some((turn) => turn >= last)
        })
      }),
    )
    expect(broken).toEqual([])
  })

  it('never quote a right answer and an outdated or wrong one from the same turn', () => {
    const broken = idsWhere((one) =>
      one.questions.some(({ right, outdated, wrong = [] }) => {
        const answers = rightTurns(one, right)
        return [...outdated, ...wrong].some((part) => {
          const turns = turnsWith(one, part)
          return turns.length === 0 || turns.some((turn) => answers.has(turn))
        })
      }),
    )
    expect(broken).toEqual([])
  })

  it('name an ended fact exactly where a question has an outdated answer', () => {
    const broken = idsWhere(
      (one) => one.expect.ended.length > 0 !== one.questions.some(({ outdated }) => outdated.length > 0),
    )
    expect(broken).toEqual([])
  })

  it.each([
    ['dev', dev],
    ['sealed', sealed],
  ])('are at least 220 in the %s half, with enough of every category', (_, half) => {
    expect(half.length).toBeGreaterThanOrEqual(220)
    for (const [category, least] of Object.entries(MINIMUM)) {
      expect(half.filter((one) => one.category === category).length, category).toBeGreaterThanOrEqual(least)
    }
  })

  it('are spread evenly over the halves, by category and by kind of voice', () => {
    const kinds = (half: readonly NaturalCase[], kindOf: (one: NaturalCase) => string | undefined) => {
      const counts = new Map<string | undefined, number>()
      for (const one of half) counts.set(kindOf(one), (counts.get(kindOf(one)) ?? 0) + 1)
      return counts
    }
    for (const kindOf of [({ category }: NaturalCase) => category, ({ voice }: NaturalCase) => voice.split(';')[0]]) {
      const inDev = kinds(dev, kindOf)
      const inSealed = kinds(sealed, kindOf)
      for (const kind of new Set([...inDev.keys(), ...inSealed.keys()])) {
        expect(Math.abs((inDev.get(kind) ?? 0) - (inSealed.get(kind) ?? 0)), kind).toBeLessThanOrEqual(2)
      }
    }
  })

  it('do not recur in the other half in nearly the same words', () => {
    const others = sealed.map((one) => ({ id: one.id, prints: fingerprints(one) }))
    const pairs = dev.flatMap((one) => {
      const prints = fingerprints(one)
      return others
        .filter((other) => prints.some((a) => other.prints.some((b) => jaccard(a, b) >= NEAR_DUPLICATE)))
        .map((other) => `${one.id} ${other.id}`)
    })
    expect(pairs).toEqual([])
  })
})
