import { describe, expect, it } from 'vitest'
import { categories, type Person, readPeople } from './cases.js'

const dev = await readPeople('dev')
const sealed = await readPeople('sealed')
const secondDev = await readPeople('dev', 'second')
const secondSealed = await readPeople('sealed', 'second')
const searchesDev = await readPeople('dev', 'searches')
const searchesSealed = await readPeople('sealed', 'searches')
const people = [...dev, ...sealed, ...secondDev, ...secondSealed, ...searchesDev, ...searchesSealed]
const nearDuplicate = 0.6

/** Failures name ids only: a failing run must not print the sealed half. */
function idsWhere(broken: (one: Person) => boolean): string[] {
  return people.filter(broken).map(({ id }) => id)
}

function count(some: readonly Person[], of: (one: Person) => number): number {
  return some.reduce((sum, one) => sum + of(one), 0)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function quoteFits({ turns }: Person, turn: number, quote?: string): boolean {
  const content = turns[turn]?.content
  return content !== undefined && (quote === undefined || (isText(quote) && content.includes(quote)))
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / Math.max(1, a.size + b.size - shared)
}

describe('the people of the recall suite', () => {
  it('have unique ids, a voice, and 15 to 40 turns with a role, a text and a time in order', () => {
    expect(new Set(people.map(({ id }) => id)).size).toBe(people.length)
    const broken = idsWhere(({ id, voice, turns }) => {
      const times = turns.map(({ at }) => Date.parse(at))
      const inOrder = times.every((time, turn) => turn === 0 || time > (times[turn - 1] ?? Number.NaN))
      const complete = turns.every(({ role, content }) => ['user', 'assistant'].includes(role) && isText(content))
      return (
        !/^recall-\d\d$/.test(id) || !isText(voice) || turns.length < 15 || turns.length > 40 || !complete || !inOrder
      )
    })
    expect(broken).toEqual([])
  })

  it('say everything within the default lifetime of a memory', () => {
    const broken = idsWhere(({ turns }) => {
      const [first, last] = [turns[0], turns.at(-1)].map((turn) => Date.parse(turn?.at ?? ''))
      return !((last ?? 0) - (first ?? 0) < 360 * 86_400_000)
    })
    expect(broken).toEqual([])
  })

  it('have questions that refer to existing turns, each in one role only', () => {
    const broken = idsWhere((one) =>
      one.questions.some(({ ask, category, answers, also, outdated, forbidden }) => {
        const referred = [...new Set(answers.map(({ turn }) => turn)), ...also, ...outdated, ...forbidden]
        return (
          !isText(ask) ||
          !categories.includes(category) ||
          new Set(referred).size < referred.length ||
          !referred.every((turn) => quoteFits(one, turn)) ||
          !answers.every(({ turn, quote }) => quoteFits(one, turn, quote))
        )
      }),
    )
    expect(broken).toEqual([])
  })

  it('have no answer exactly for unanswerable questions, and two or more for those that need two', () => {
    const broken = idsWhere(({ questions }) =>
      questions.some(({ category, answers, also, outdated, forbidden }) => {
        if (category === 'unanswerable') return [answers, also, outdated, forbidden].some(({ length }) => length > 0)
        return answers.length < (category === 'two' ? 2 : 1)
      }),
    )
    expect(broken).toEqual([])
  })

  it('state a former value before the current one', () => {
    const broken = idsWhere(({ questions }) =>
      questions.some(({ answers, outdated }) => {
        const last = Math.max(...answers.map(({ turn }) => turn))
        return outdated.some((turn) => turn >= last)
      }),
    )
    expect(broken).toEqual([])
  })

  it('have plans whose needs are quotes from their turns', () => {
    const broken = idsWhere((one) =>
      one.plans.some(
        ({ ask, needs }) =>
          !isText(ask) || needs.length === 0 || !needs.every(({ turn, quote }) => quoteFits(one, turn, quote)),
      ),
    )
    expect(broken).toEqual([])
  })

  it.each([
    ['dev', dev],
    ['sealed', sealed],
  ])('are twelve in the %s half, with enough questions of every category and fifty plans', (_, half) => {
    expect(half.length).toBe(12)
    expect(count(half, ({ questions }) => questions.length)).toBeGreaterThanOrEqual(170)
    expect(count(half, ({ plans }) => plans.length)).toBeGreaterThanOrEqual(50)
    for (const name of categories) {
      const ofCategory = count(half, ({ questions }) => questions.filter(({ category }) => category === name).length)
      expect(ofCategory, name).toBeGreaterThanOrEqual(name === 'unanswerable' ? 30 : 12)
    }
  })

  it.each([
    ['dev', secondDev],
    ['sealed', secondSealed],
  ])('are six in the %s half of the second set, with 24 questions and two plans each', (_, half) => {
    expect(half.length).toBe(6)
    expect(
      half.filter(({ questions, plans }) => questions.length !== 24 || plans.length !== 2).map(({ id }) => id),
    ).toEqual([])
  })

  it.each([
    ['dev', searchesDev],
    ['sealed', searchesSealed],
  ])('are six in the %s half of those who search, with 24 searches of at most five words each', (_, half) => {
    expect(half.length).toBe(6)
    const isSearch = ({ ask }: Person['questions'][number]) => ask.split(' ').length <= 5 && !ask.includes('?')
    expect(
      half.filter(({ questions }) => questions.length !== 24 || !questions.every(isSearch)).map(({ id }) => id),
    ).toEqual([])
  })

  it('do not recur in the other half in nearly the same words', () => {
    const texts = ({ turns }: Person) => turns.map(({ content }) => words(content)).filter(({ size }) => size > 3)
    const others = [...sealed, ...secondSealed, ...searchesSealed].map((one) => ({ id: one.id, texts: texts(one) }))
    const pairs = [...dev, ...secondDev, ...searchesDev].flatMap((one) =>
      others
        .filter((other) => texts(one).some((a) => other.texts.some((b) => similarity(a, b) >= nearDuplicate)))
        .map((other) => `${one.id} ${other.id}`),
    )
    expect(pairs).toEqual([])
  })
})
