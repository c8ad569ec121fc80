import { expect, it } from 'vitest'
import { attributeSlot, holdsSlot, isSlotOf, relationSlot, slotParts, someSlot } from './slot.js'

it('names a slot by its kind and its parts, which can be read back', () => {
  expect(slotParts(attributeSlot('ann', 'diet'))).toEqual(['ATTR', 'ann', 'diet'])
  expect(slotParts(someSlot('the rent', 'be'))).toEqual(['SOME', 'the rent', 'be'])
  expect(slotParts(holdsSlot('ann', 'play tennis'))).toEqual(['HOLDS', 'ann', 'play tennis'])
  expect(slotParts(relationSlot('WORKS_AT', 'ann'))).toEqual(['WORKS_AT', 'ann'])
})

it('distinguishes kinds', () => {
  expect(isSlotOf('HOLDS', holdsSlot('ann', 'smoke'))).toBe(true)
  expect(isSlotOf('SOME', holdsSlot('ann', 'smoke'))).toBe(false)
})
