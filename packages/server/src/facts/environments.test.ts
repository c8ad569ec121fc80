import { describe, expect, it } from 'vitest'
import { areNumberedApart } from './same-words.js'

describe('what holds in one environment', () => {
  it('changes nothing in another', () => {
    expect(areNumberedApart('DB host prod: db-prd.acme.io', 'DB host staging: db-stg.acme.io')).toBe(true)
  })

  it('may move, and ordinary words name no environment', () => {
    expect(areNumberedApart('DB moved to production', 'DB is on staging')).toBe(false)
    expect(areNumberedApart('I moved out after my driving test', 'I live with my parents')).toBe(false)
  })
})
