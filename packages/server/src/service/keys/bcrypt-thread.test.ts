import { spawnSync } from 'node:child_process'
import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it } from 'vitest'
import { workerUrl } from '../../core/worker-url.js'
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

describe('the bcrypt thread', () => {
  it('distinguishes right secrets from wrong ones, even many at once', async () => {
    const { compare } = thread()
    const hash = await bcrypt.hash('right', 4)
    const asked = Array.from({ length: 20 }, (_, index) => compare(index % 2 ? 'right' : 'wrong', hash))
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 1))
  })

  it('does not lower the priority of the rest of the process', async () => {
    const { getPriority } = await import('node:os')
    const before = getPriority()
    expect(await thread().compare('a', await bcrypt.hash('a', 4))).toBe(true)
    expect(getPriority()).toBe(before)
  })

  it.runIf(process.platform === 'linux')('works in a process with an even lower priority that may not raise it', () => {
    const url = JSON.stringify(workerUrl(import.meta.url, './bcrypt-thread.js'))
    const hash = JSON.stringify(bcrypt.hashSync('a', 4))
    // The thread does not keep the process alive.
    const script = `const alive = setInterval(() => undefined, 1000)
        import(${url}).then(async ({ bcryptThread }) => {
          const thread = bcryptThread()
          console.log(await thread.compare('a', ${hash}))
          await thread.close()
          clearInterval(alive)
        })`
    // Root may raise it, unless it drops that capability.
    const without = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice'] : []
    const [program = '', ...words] = [...without, 'nice', '-n', '10', process.execPath, '-e', script]
    expect(spawnSync(program, words, { encoding: 'utf8' })).toMatchObject({ stdout: 'true\n', status: 0 })
  })

  it('tells waiting callers to retry when it dies, and starts again for the next comparison', async () => {
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

  it('reports a failure as an error, and refuses work after its close', async () => {
    const fails = `
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ id }) => parentPort.postMessage({ id, problem: 'out of memory' }))`
    const failing = thread(fails)
    await expect(failing.compare('a', '')).rejects.toThrow('bcrypt failed: out of memory')
    await failing.close()
    await expect(failing.compare('a', '')).rejects.toMatchObject({ code: 'unavailable' })
  })
})
