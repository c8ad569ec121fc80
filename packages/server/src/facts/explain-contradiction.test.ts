import { expect, it } from 'vitest'
import { explainContradiction, explainReason } from './explain-contradiction.js'

it('names the slot whose value changed, for programs and for people', () => {
  const older = [
    { slot: 'HOLDS|LIKES|john|tea', value: 'yes' },
    { slot: 'WORKS_AT|john', value: 'acme' },
  ]
  const newer = [...older.slice(0, 1), { slot: 'WORKS_AT|john', value: 'globex' }]
  expect(explainContradiction(older, newer)).toEqual({
    why: 'john works at: "acme" before, "globex" now.',
    reason: { slot: 'WORKS_AT|john', oldValue: 'acme', newValue: 'globex', rule: 'contradicted' },
  })
  const colour = (value: string) => [{ slot: 'ATTR|user:ana|favourite colour', value }]
  expect(explainContradiction(colour('blue'), colour('green')).why).toBe(
    'ana, favourite colour: "blue" before, "green" now.',
  )
})

it('distinguishes a refinement from a change, even if nothing is known', () => {
  const slots = [{ slot: 'WORKS_AT|john', value: 'acme' }]
  expect(explainContradiction(slots, slots).reason).toMatchObject({
    rule: 'refined',
    oldValue: 'acme',
    newValue: 'acme',
  })
  expect(explainContradiction([], slots)).toMatchObject({ reason: { rule: 'refined', slot: '' } })
})

it.each([
  ['HOLDS|LIKES|john|tea', 'yes', 'no', 'john likes tea: "yes" before, "no" now.'],
  ['HOLDS|user:ana|have car', 'yes', 'no', 'ana, have car: "yes" before, "no" now.'],
  ['WORKS_AT|john', 'acme', '!acme', 'john works at: "acme" before, "not acme" now.'],
  ['WORKS_AT|john', 'acme', '-', 'john works at: "acme" before, "none" now.'],
  ['WHEN|meeting|at|day', 'monday', 'tuesday', 'meeting, at, day: "monday" before, "tuesday" now.'],
])('says %s from %s to %s in words', (slot, oldValue, newValue, why) => {
  expect(explainReason({ slot, oldValue, newValue, rule: 'contradicted' })).toBe(why)
})
