import { expect, it } from 'vitest'
import {
  attributeSlot,
  holdsSlot,
  isSlotOf,
  relatedSlot,
  relationSlot,
  saysSlot,
  slotParts,
  someSlot,
  whenSlot,
  whoSlot,
} from './slot.js'

it('names a slot by its kind and its parts, which can be read back', () => {
  expect(slotParts(attributeSlot('ann', 'diet'))).toEqual(['ATTR', 'ann', 'diet'])
  expect(slotParts(someSlot('the rent', 'be'))).toEqual(['SOME', 'the rent', 'be'])
  expect(slotParts(holdsSlot('ann', 'play tennis'))).toEqual(['HOLDS', 'ann', 'play tennis'])
  expect(slotParts(relationSlot('WORKS_AT', 'ann'))).toEqual(['WORKS_AT', 'ann'])
  expect(slotParts(relatedSlot('USES', 'ann', 'git'))).toEqual(['HOLDS', 'USES', 'ann', 'git'])
  expect(slotParts(whenSlot('dentist', 'at', 'day'))).toEqual(['WHEN', 'dentist', 'at', 'day'])
  expect(slotParts(whoSlot('ann'))).toEqual(['WHO', 'ann'])
  expect(slotParts(saysSlot('ann', 'leave club'))).toEqual(['SAYS', 'ann', 'leave club'])
})

it('distinguishes kinds', () => {
  expect(isSlotOf('HOLDS', holdsSlot('ann', 'smoke'))).toBe(true)
  expect(isSlotOf('SOME', holdsSlot('ann', 'smoke'))).toBe(false)
})
