import { expect, it } from 'vitest'
import { LabelPlaces } from './label-places.ts'

it('gives no place to a label that would cover another one, until everything is drawn again', () => {
  const places = new LabelPlaces()
  expect(places.take({ x: 0, y: 0, width: 50, height: 12 })).toBe(true)
  expect(places.take({ x: 49, y: 11, width: 50, height: 12 })).toBe(false)
  expect(places.take({ x: 50, y: 0, width: 50, height: 12 })).toBe(true)
  expect(places.take({ x: 10, y: 12, width: 80, height: 12 })).toBe(true)
  places.clear()
  expect(places.take({ x: 49, y: 11, width: 50, height: 12 })).toBe(true)
})
