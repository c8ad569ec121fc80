import { expect, it } from 'vitest'
import { type Box, LabelPlaces, placesAround } from './label-places.js'

it('gives a place only to labels that cover nothing, and touching is not covering', () => {
  const places = new LabelPlaces()
  expect(places.take({ x: 0, y: 0, width: 50, height: 15 })).toBe(true)
  expect(places.take({ x: 40, y: 10, width: 50, height: 15 })).toBe(false)
  expect(places.take({ x: 50, y: 0, width: 50, height: 15 })).toBe(true)
  expect(places.take({ x: 40, y: 15, width: 50, height: 15 })).toBe(true)
})

it('keeps labels off nodes, which may cover each other', () => {
  const places = new LabelPlaces()
  for (const x of [0, 5]) places.occupy({ x, y: 0, width: 20, height: 20 })
  expect(places.take({ x: 15, y: 5, width: 50, height: 15 })).toBe(false)
  expect(places.take({ x: 25, y: 5, width: 50, height: 15 })).toBe(true)
})

it('moves a label to another side of its node before it gives up', () => {
  const places = new LabelPlaces()
  const around = () => placesAround({ x: 100, y: 100, size: 10 }, 40, 14)
  const seen = [1, 2, 3, 4].map(() => places.takeFirst(around()))
  expect(new Set(seen.map((box) => JSON.stringify(box))).size).toBe(4)
  expect(seen.every((box): box is Box => box !== undefined)).toBe(true)
  expect(places.takeFirst(around())).toBeUndefined()
})
