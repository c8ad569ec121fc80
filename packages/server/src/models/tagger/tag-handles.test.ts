import { describe, expect, it } from 'vitest'
import { handleSpans, handlesIn } from './tag-handles.js'

const found = (text: string) =>
  handleSpans(text, handlesIn(text)).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`)

describe('account names', () => {
  it.each<[string, string[]]>([
    ['thanks @AnnaSmith and @peter_k!', ['PERSON AnnaSmith', 'PERSON peter_k']],
    ['RT @brianmiller: look at @CityTimes', ['PERSON brianmiller', 'ORG CityTimes']],
    ['@xq77 @_ hello', []],
    ['write to anna@example.com', []],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })
})
