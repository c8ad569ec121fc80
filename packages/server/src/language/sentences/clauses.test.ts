import { expect, it } from 'vitest'
import { clausesOf } from './clauses.js'

const read = (template: string) => clausesOf(template).map(({ stated, holds }) => `${holds}: ${stated}`)

it.each([
  ['⟦0⟧ works at ⟦1⟧.', ['yes: ⟦0⟧ works at ⟦1⟧']],
  ['⟦0⟧ no longer works at ⟦1⟧.', ['over: ⟦0⟧ works at ⟦1⟧']],
  ["⟦0⟧ doesn't work at ⟦1⟧ anymore.", ['over: ⟦0⟧ works at ⟦1⟧']],
  ["⟦s⟧ don't eat meat.", ['denied: ⟦s⟧ eat meat']],
  ['⟦s⟧ am not allergic to eggs any more.', ['over: ⟦s⟧ am allergic to eggs']],
  ['⟦s⟧ never drink wine.', ['denied: ⟦s⟧ drink wine']],
  ['⟦s⟧ stopped eating meat.', ['over: ⟦s⟧ am eating meat']],
  ['⟦0⟧ used to live in ⟦1⟧.', ['over: ⟦0⟧ lives in ⟦1⟧']],
  ['⟦s⟧ worked at ⟦0⟧ until 2019.', ['over: ⟦s⟧ work at ⟦0⟧']],
  ['⟦s⟧ have worked at ⟦0⟧ since 2019.', ['yes: ⟦s⟧ work at ⟦0⟧ since 2019']],
  ["⟦s⟧ can't stand tea.", ['yes: ⟦s⟧ can not stand tea']],
  ['⟦0⟧ thinks that ⟦1⟧ works at ⟦2⟧.', ['yes: ⟦0⟧']],
  ['⟦s⟧ live in ⟦0⟧, but ⟦1⟧ thinks ⟦s⟧ live in ⟦2⟧.', ['yes: ⟦s⟧ live in ⟦0⟧', 'yes: ⟦1⟧']],
  ['⟦s⟧ wish ⟦s⟧ lived in ⟦0⟧.', ['yes: ⟦s⟧']],
  ['if ⟦s⟧ move to ⟦0⟧, ⟦s⟧ will need a car.', ['yes: ', 'yes: ']],
  ['guess what, ⟦s⟧ moved to ⟦0⟧!', ['yes: ⟦s⟧ moved to ⟦0⟧']],
  ['⟦s⟧ told you the party is on friday.', ['yes: the party is on friday']],
  ['⟦s⟧ left ⟦0⟧ and ⟦s⟧ started at ⟦1⟧.', ['yes: ⟦s⟧ left ⟦0⟧', 'yes: ⟦s⟧ started at ⟦1⟧']],
  ['⟦0⟧ and ⟦1⟧ are married.', ['yes: ⟦0⟧ and ⟦1⟧ are married']],
  ["⟦s⟧'s name is ⟦0⟧, not ⟦1⟧.", ["yes: ⟦s⟧'s name is ⟦0⟧", "denied: ⟦s⟧'s name is ⟦1⟧"]],
])('%s', (template, clauses) => {
  expect(read(template)).toEqual(clauses)
})

it('reads when a fact starts and ends, and whether it is new', () => {
  expect(clausesOf('⟦s⟧ worked at ⟦0⟧ from 2010 to may 2015.')[0]).toMatchObject({ since: '2010', until: 'may 2015' })
  expect(clausesOf('⟦s⟧ drive a kia now.')[0]?.change).toBe(true)
  expect(clausesOf('⟦s⟧ drive a kia.')[0]?.change).toBe(false)
})
