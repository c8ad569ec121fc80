import { describe, expect, it } from 'vitest'
import { type SaidText, worthFeatures } from './features.js'

const names = [
  'length',
  'isShort',
  'asks',
  'hasNumber',
  'saysI',
  'saysYou',
  'exclaims',
  'hasName',
  'isAssistant',
  'isAfterQuestion',
] as const
const featuresOf = (text: string, more: Partial<SaidText> = {}) => {
  const values = worthFeatures([], { text, isAssistant: false, isAfterQuestion: false, ...more })
  expect(values).toHaveLength(names.length)
  return Object.fromEntries(names.map((name, at) => [name, values[at]]))
}

describe('the features of a text', () => {
  it('start with the scaled vector', () => {
    const said = { text: 'hi', isAssistant: false, isAfterQuestion: false }
    const values = worthFeatures(Float32Array.of(0.5, -0.25), said)
    expect(values.slice(0, 2)).toEqual([4, -2])
    expect(values).toHaveLength(2 + names.length)
  })

  it('count words up to 40', () => {
    expect(featuresOf('one two three')).toMatchObject({ length: 0.15, isShort: 1 })
    expect(featuresOf('one two three four')).toMatchObject({ length: 0.2, isShort: 0 })
    expect(featuresOf('word '.repeat(400))).toMatchObject({ length: 2, isShort: 0 })
  })

  it.each<[feature: (typeof names)[number], yes: string, no: string]>([
    ['asks', 'and you?!', 'is it? I think so'],
    ['hasNumber', 'at 10', 'at ten'],
    ['saysI', "Well, I've moved", 'Ian is in the mist'],
    ['saysYou', 'how are u', 'the youth'],
    ['exclaims', 'wow! nice', 'wow'],
    ['hasName', 'I met Anna', 'Anna met them. Nobody else'],
  ])('see whether a text has it: %s', (feature, yes, no) => {
    expect(featuresOf(yes)[feature]).toBe(1)
    expect(featuresOf(no)[feature]).toBe(0)
  })

  it('know who spoke and after what', () => {
    expect(featuresOf('ok')).toMatchObject({ isAssistant: 0, isAfterQuestion: 0 })
    expect(featuresOf('ok', { isAssistant: true })).toMatchObject({ isAssistant: 1, isAfterQuestion: 0 })
    expect(featuresOf('ok', { isAfterQuestion: true })).toMatchObject({ isAssistant: 0, isAfterQuestion: 1 })
  })

  it('ignore blanks around the text', () => {
    expect(featuresOf('  and you?\n')).toEqual(featuresOf('and you?'))
  })
})
