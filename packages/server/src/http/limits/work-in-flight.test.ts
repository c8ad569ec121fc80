import { describe, expect, it } from 'vitest'
import { WorkInFlight } from './work-in-flight.js'

describe('work in flight', () => {
  it('is refused beyond its bound, and accepted again once other work has succeeded or failed', async () => {
    const inFlight = new WorkInFlight(2)
    const ends: (() => void)[] = []
    const held = () => new Promise<void>((resolve) => ends.push(resolve))
    const first = inFlight.run(held)
    inFlight.requireRoom()
    const second = inFlight.run(async () => {
      await held()
      throw new Error('failed')
    })
    const refused = { code: 'unavailable', status: 503, retryAfterSeconds: 1 }
    expect(() => inFlight.requireRoom()).toThrow(expect.objectContaining(refused))
    let begun = false
    const third = inFlight.run(async () => {
      begun = true
    })
    await expect(third).rejects.toMatchObject(refused)
    expect(begun).toBe(false)
    for (const end of ends) end()
    await first
    await expect(second).rejects.toThrow('failed')
    expect(await inFlight.run(async () => 'done')).toBe('done')
    inFlight.requireRoom()
  })

  it('is awaited until the last of it has succeeded or failed', async () => {
    const inFlight = new WorkInFlight(2)
    await inFlight.ended()
    const ends: (() => void)[] = []
    const held = () => new Promise<void>((resolve) => ends.push(resolve))
    const first = inFlight.run(held)
    const second = inFlight.run(async () => {
      await held()
      throw new Error('failed')
    })
    let hasEnded = false
    const ended = inFlight.ended().then(() => {
      hasEnded = true
    })
    ends[0]?.()
    await first
    expect(hasEnded).toBe(false)
    ends[1]?.()
    await expect(second).rejects.toThrow('failed')
    await ended
  })
})
