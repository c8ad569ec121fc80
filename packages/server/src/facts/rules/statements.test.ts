import { describe, expect, it } from 'vitest'
import { namesIn } from '../../language/names/find-names.js'
import { clausesOf } from '../../language/sentences/clauses.js'
import { beingRules } from './being-rules.js'
import { doingRules } from './doing-rules.js'
import type { Reading } from './reading.js'
import { statementIn } from './statements.js'
import { templateOf } from './template.js'

const speaker = 'user:u1'

/** The statement of a sentence with one clause; the key of a name is its number. */
function statementOf(sentence: string) {
  const names = namesIn(sentence).map((span, index) => ({ span, index }))
  const [clause] = clausesOf(templateOf(sentence, names, null, true))
  if (!clause) throw new Error(`no clause: ${sentence}`)
  const unused = () => {
    throw new Error('a statement is only read')
  }
  const reading: Reading = {
    clause,
    keyOf: (mark) => (mark === 's' ? speaker : mark),
    isA: () => false,
    typeOf: () => null,
    slot: unused,
    relate: unused,
    relatePartners: unused,
  }
  return statementIn(reading)
}

describe.each([
  ['being', beingRules],
  ['doing', doingRules],
])('the rules for %s', (_, rules) => {
  it('have different ids', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
  })

  it.each(rules.map(({ id, example }) => [id, example]))('%s: reads "%s"', (id, example) => {
    const { rule, slots } = statementOf(example)
    expect(rule).toBe(id)
    expect(slots.length).toBeGreaterThan(0)
  })
})

describe('a statement', () => {
  it('shares a slot with its denial', () => {
    const slot = `HOLDS|${speaker}|play tennis`
    expect(statementOf('I play tennis.').slots).toEqual([{ slot, value: 'yes' }])
    expect(statementOf("I don't play tennis.").slots).toEqual([{ slot, value: 'no' }])
  })

  it('that only denies being without work says nothing', () => {
    expect(statementOf('I am not unemployed.')).toEqual({ rule: 'without work', slots: [] })
  })
})
