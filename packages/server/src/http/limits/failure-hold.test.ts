import { describe, expect, it } from 'vitest'
import { failureHold } from './failure-hold.js'

function holdByHand() {
  let at = 1000
  const waits: number[] = []
  let chance = 0
  const hold = failureHold({
    random: () => chance,
    now: () => at,
    wait: async (ms) => {
      waits.push(ms)
      at += ms
    },
  })
  return {
    hold,
    waits,
    now: () => at,
    setChance: (value: number) => {
      chance = value
    },
    advance: (ms: number) => {
      at += ms
    },
    /** How long a failure is held after it has taken `ms`. */
    async waitAfter(ms: number, kind: 'no key' | 'bad key' | 'overloaded', ip = '10.0.0.1'): Promise<number> {
      const startedAt = at
      at += ms
      const before = waits.length
      await hold.release(ip, startedAt, kind)
      return waits.slice(before).reduce((sum, each) => sum + each, 0)
    },
  }
}

describe('a failed authentication', () => {
  it('with a key is answered a fixed time after it started, however long the work took', async () => {
    const { waitAfter } = holdByHand()
    for (const workMs of [1, 65, 70, 249]) expect(await waitAfter(workMs, 'bad key')).toBe(250 - workMs)
    expect(await waitAfter(300, 'bad key')).toBe(0)
  })

  it('without a key is answered immediately', async () => {
    expect(await holdByHand().waitAfter(1, 'no key')).toBe(0)
  })

  it('is answered after a second once a network has failed three times in a minute, with or without a key', async () => {
    const { hold, waitAfter, advance } = holdByHand()
    for (const ip of ['2001:db8::1', '2001:db8::2']) hold.count(ip)
    expect(await waitAfter(100, 'bad key', '2001:db8::5')).toBe(150)
    hold.count('2001:db8::3')
    expect(await waitAfter(100, 'bad key', '2001:db8::5')).toBe(900)
    expect(await waitAfter(100, 'no key', '2001:db8::5')).toBe(900)
    expect(await waitAfter(100, 'bad key', '10.0.0.1')).toBe(150)
    advance(60_000)
    expect(await waitAfter(100, 'bad key', '2001:db8::5')).toBe(150)
  })

  it('is answered after a second if the queue for key checks is full', async () => {
    expect(await holdByHand().waitAfter(100, 'overloaded')).toBe(900)
  })

  it('is held for up to 50% longer at random, so that clients do not all retry together', async () => {
    const { setChance, waitAfter } = holdByHand()
    setChance(1)
    expect(await waitAfter(100, 'bad key')).toBe(275)
    setChance(0.5)
    expect(await waitAfter(100, 'bad key')).toBe(212.5)
    expect(await waitAfter(100, 'no key')).toBe(0)
  })

  it('makes its network suspect for a minute', () => {
    const { hold, advance } = holdByHand()
    expect(hold.isSuspect('2001:db8::1')).toBe(false)
    hold.count('2001:db8::1')
    expect(hold.isSuspect('2001:db8::4')).toBe(true)
    expect(hold.isSuspect('2001:db8:0:1::4')).toBe(false)
    advance(60_000)
    expect(hold.isSuspect('2001:db8::4')).toBe(false)
  })
})

it('holds a bounded number of responses and sends the rest immediately', async () => {
  const waiting: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve))
  const hold = failureHold({ now: () => 0, wait })
  const held = Array.from({ length: 5000 }, () => hold.release('10.0.0.1', 0, 'bad key'))
  await hold.release('10.0.0.1', 0, 'bad key')
  expect(waiting).toHaveLength(5000)
  for (const letGo of waiting) letGo()
  await Promise.all(held)
  const again = hold.release('10.0.0.1', 0, 'bad key')
  expect(waiting).toHaveLength(5001)
  waiting[5000]?.()
  await again
})
