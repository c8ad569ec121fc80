import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it } from 'vitest'
import { type BcryptThread, bcryptThread } from './bcrypt-thread.js'

const open: BcryptThread[] = []
function thread(source?: string): BcryptThread {
  const url = source === undefined ? undefined : new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  const started = bcryptThread(url)
  open.push(started)
  return started
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

describe('the thread that hashes', () => {
  it('tells right secrets from wrong ones, also many at once', async () => {
    const { compare } = thread()
    const hash = await bcrypt.hash('right', 4)
    const asked = Array.from({ length: 20 }, (_, index) => compare(index % 2 ? 'right' : 'wrong', hash))
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 1))
  })

  it('gives none of its low priority to the rest of the process', async () => {
    const { getPriority } = await import('node:os')
    const before = getPriority()
    expect(await thread().compare('a', await bcrypt.hash('a', 4))).toBe(true)
    expect(getPriority()).toBe(before)
  })

  it('dies: what waited is told to come back, and the next comparison has a new thread', async () => {
    const diesAtFirst = `
      import { parentPort, threadId } from 'node:worker_threads'
      parentPort.on('message', ({ id, secret }) => {
        if (secret === 'die') process.exit(1)
        parentPort.postMessage({ id, isMatch: true })
      })`
    const { compare } = thread(diesAtFirst)
    const lost = await Promise.allSettled([compare('die', ''), compare('beside', '')])
    expect(lost.map((each) => (each.status === 'rejected' ? each.reason.code : each.status))).toEqual([
      'unavailable',
      'unavailable',
    ])
    expect(await compare('next', '')).toBe(true)
  })

  it('tells of a failure as one, and is gone after its close', async () => {
    const fails = `
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ id }) => parentPort.postMessage({ id, problem: 'out of memory' }))`
    const failing = thread(fails)
    await expect(failing.compare('a', '')).rejects.toThrow('bcrypt failed: out of memory')
    await failing.close()
    await expect(failing.compare('a', '')).rejects.toMatchObject({ code: 'unavailable' })
  })
})
