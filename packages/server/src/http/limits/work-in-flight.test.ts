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

  it('of one key gets at most half of the places, and a 429 beyond', async () => {
    const inFlight = new WorkInFlight(4)
    const ends: (() => void)[] = []
    const held = () => new Promise<void>((resolve) => ends.push(resolve))
    const [mallory, ana] = ['key_1', 'key_2'].map(
      (keyId) => ({ kind: 'user', keyId, userId: keyId, access: 'full', project: null }) as const,
    )
    const running = [inFlight.run(held, mallory), inFlight.run(held, mallory)]
    const refused = { code: 'rate_limit_exceeded', status: 429, retryAfterSeconds: 1 }
    await expect(inFlight.run(held, mallory)).rejects.toMatchObject(refused)
    running.push(inFlight.run(held, ana), inFlight.run(held, { kind: 'anyone' }))
    expect(() => inFlight.requireRoom()).toThrow()
    for (const end of ends) end()
    await Promise.all(running)
    expect(await inFlight.run(async () => 'done', mallory)).toBe('done')
    await inFlight.ended()
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
