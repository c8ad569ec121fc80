import { describe, expect, it } from 'vitest'
import { claimsInProcess } from '../../storage/sqlite/claims.js'
import { claimedWork } from './claimed-work.js'

/** Two instances on one store, and a clock that advances while someone waits. */
function world() {
  let now = 0
  const claims = claimsInProcess(() => now)
  const lines: string[] = []
  const log = {
    info: () => undefined,
    warn: (_: object, line: string) => void lines.push(line),
    error: () => undefined,
  }
  const waiting = new Set<{ readonly at: number; wake(): void }>()
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave)
      const wake = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add({ at: now + ms, wake })
    })
  async function advance(ms: number): Promise<void> {
    const end = now + ms
    for (;;) {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      const [next] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!next) break
      waiting.delete(next)
      now = next.at
      next.wake()
    }
    now = end
  }
  const instance = (holder: string, over: Partial<typeof claims> = {}) =>
    claimedWork({ claims: { ...claims, ...over }, log, holder, leaseMs: 30, wait, monotonicMs: () => now })
  return { instance, advance, lines, claims }
}

const forEver = new Promise<never>(() => undefined)

describe('claimed work', () => {
  it('is done by one instance at a time, and passes on when the first succeeds or fails', async () => {
    const { instance } = world()
    const [one, two] = [instance('one'), instance('two')]
    expect(await one('work', async () => two('work', async () => 'second'))).toEqual({ result: undefined })
    expect(await two('work', async () => 'second')).toEqual({ result: 'second' })
    await expect(one('work', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await two('work', async () => 'third')).toEqual({ result: 'third' })
  })

  it('stays with its holder, however long the work takes', async () => {
    const { instance, advance } = world()
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const working = instance('one')('work', () => ended)
    await advance(1_000)
    expect(await instance('two')('work', async () => 'stolen')).toBeUndefined()
    end()
    expect(await working).toEqual({ result: undefined })
    expect(await instance('two')('work', async () => 'mine')).toEqual({ result: 'mine' })
  })

  it('is released some time after its holder was killed', async () => {
    const { claims, instance, advance } = world()
    // A claim that nobody renews, as a killed process leaves it.
    await claims.claim('work', 'killed', 30)
    await advance(29)
    expect(await instance('two')('work', async () => 'early')).toBeUndefined()
    await advance(1)
    expect(await instance('two')('work', async () => 'mine')).toEqual({ result: 'mine' })
  })

  it('is told to stop when the claim is lost, and does not release the claim of the new holder', async () => {
    const { claims, instance, advance, lines } = world()
    const stopped = (lost: AbortSignal) =>
      new Promise<never>((_resolve, reject) => lost.addEventListener('abort', () => reject(new Error('stopped'))))
    const working = instance('one')('work', stopped)
    await claims.release('work', 'one')
    await claims.claim('work', 'two', 1_000)
    await advance(10)
    expect(await working).toBeUndefined()
    expect(lines).toEqual(['a claim was lost: another instance may continue'])
    expect(await claims.claim('work', 'three', 10)).toBe(false)
  })

  it('survives an outage of the store shorter than the lease, but no longer', async () => {
    const { claims, instance, advance } = world()
    let isAway = false
    const one = instance('one', {
      claim: (...asked) => (isAway ? Promise.reject(new Error('away')) : claims.claim(...asked)),
    })
    let lost: AbortSignal | undefined
    void one('work', (signal) => {
      lost = signal
      return forEver
    })
    await advance(10)
    isAway = true
    await advance(15)
    isAway = false
    await advance(10)
    expect(lost?.aborted).toBe(false)
    isAway = true
    await advance(60)
    expect(lost?.aborted).toBe(true)
  })
})
