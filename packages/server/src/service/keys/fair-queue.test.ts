import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { FairQueue, type FairQueueOptions, type Lane } from './fair-queue.js'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A queue in which the test finishes work and ends rests. */
function queueByHand(options: Partial<FairQueueOptions> = {}) {
  const started: { readonly name: string; readonly finish: () => void }[] = []
  const refused: string[] = []
  const rests: (() => void)[] = []
  const rest = () => new Promise<void>((resolve) => rests.push(resolve))
  const queue = new FairQueue({ maxConcurrent: 1, maxQueue: 4, rest, ...options })
  return {
    refused,
    names: () => started.map(({ name }) => name),
    ask(lane: Lane, source: string, name: string): void {
      const work = () => new Promise<void>((resolve) => started.push({ name, finish: resolve }))
      queue.run({ lane, source }, work).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ServiceError)
        expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
        refused.push(name)
      })
    },
    async finishAll(): Promise<string[]> {
      for (let index = 0; index < started.length; index += 1) {
        started[index]?.finish()
        await settled()
        rests.shift()?.()
        await settled()
      }
      return started.map(({ name }) => name)
    },
    async finish(index: number): Promise<void> {
      started[index]?.finish()
      await settled()
    },
    async endRest(): Promise<void> {
      rests.shift()?.()
      await settled()
    },
  }
}

describe('turns', () => {
  it('alternate between sources, however many each has waiting', async () => {
    const queue = queueByHand({ maxQueue: 10 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.ask('clean', 'a', name)
    queue.ask('clean', 'b', 'b1')
    queue.ask('clean', 'c', 'c1')
    queue.ask('clean', 'b', 'b2')
    expect(await queue.finishAll()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5'])
  })

  it('go to known keys first, then to clean sources, then to suspects', async () => {
    const queue = queueByHand()
    queue.ask('clean', 'x', 'first')
    queue.ask('suspect', 's', 'suspect')
    queue.ask('clean', 'c', 'clean')
    queue.ask('known', 'k', 'known')
    expect(await queue.finishAll()).toEqual(['first', 'known', 'clean', 'suspect'])
  })

  it('are limited to the given number at once, and pass on when work fails', async () => {
    const queue = new FairQueue({ maxConcurrent: 2, maxQueue: 10 })
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await settled()
      running -= 1
      throw new Error('broken')
    }
    const asked = Array.from({ length: 8 }, () => queue.run({ lane: 'clean', source: 'a' }, work))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
    expect(most).toBe(2)
    expect(await queue.run({ lane: 'clean', source: 'a' }, async () => 'still works')).toBe('still works')
  })
})

describe('suspects', () => {
  it('are served one at a time with a rest after each, while others overtake them', async () => {
    const queue = queueByHand({ maxConcurrent: 2 })
    queue.ask('suspect', 's', 's1')
    queue.ask('suspect', 't', 's2')
    expect(queue.names()).toEqual(['s1'])
    await queue.finish(0)
    expect(queue.names()).toEqual(['s1'])
    queue.ask('clean', 'c', 'c1')
    expect(queue.names()).toEqual(['s1', 'c1'])
    await queue.endRest()
    expect(queue.names()).toEqual(['s1', 'c1', 's2'])
  })

  it('never fill the queue', async () => {
    const queue = queueByHand({ maxQueue: 4, maxSuspects: 2 })
    for (const name of ['s0', 's1', 's2', 's3', 's4']) queue.ask('suspect', 's', name)
    await settled()
    expect(queue.refused).toEqual(['s3', 's4'])
  })
})

describe('a full queue', () => {
  it('refuses a newcomer from the source with the longest line', async () => {
    const queue = queueByHand()
    for (let index = 0; index < 10; index += 1) queue.ask('clean', 'a', `a${index}`)
    await settled()
    expect(queue.refused).toEqual(['a5', 'a6', 'a7', 'a8', 'a9'])
  })

  it('accepts a newcomer with a shorter line, and refuses the last of the longest line', async () => {
    const queue = queueByHand()
    for (let index = 0; index < 5; index += 1) queue.ask('clean', 'a', `a${index}`)
    queue.ask('clean', 'b', 'b1')
    await settled()
    expect(queue.refused).toEqual(['a4'])
    expect(await queue.finishAll()).toEqual(['a0', 'a1', 'b1', 'a2', 'a3'])
  })

  it('accepts a newcomer of a better lane, and refuses a suspect', async () => {
    const queue = queueByHand()
    queue.ask('clean', 'x', 'first')
    for (const source of ['p', 'q', 'r', 's']) queue.ask('suspect', source, source)
    queue.ask('clean', 'c', 'clean')
    await settled()
    expect(queue.refused).toEqual(['p'])
    queue.ask('suspect', 't', 't')
    await settled()
    expect(queue.refused).toEqual(['p', 't'])
    expect((await queue.finishAll()).slice(0, 2)).toEqual(['first', 'clean'])
  })

  it('refuses a newcomer if every source has one waiting: nobody is displaced by an equal', async () => {
    const queue = queueByHand()
    for (const source of ['a', 'b', 'c', 'd', 'e', 'f']) queue.ask('clean', source, source)
    await settled()
    expect(queue.refused).toEqual(['f'])
  })
})
