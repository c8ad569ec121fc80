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

  it.runIf(process.platform === 'linux')(
    'works in a process that has less than its priority, and may not raise it',
    () => {
      const url = JSON.stringify(workerUrl(import.meta.url, './bcrypt-thread.js'))
      const hash = JSON.stringify(bcrypt.hashSync('a', 4))
      // The thread alone keeps no process alive.
      const script = `const alive = setInterval(() => undefined, 1000)
        import(${url}).then(async ({ bcryptThread }) => {
          const thread = bcryptThread()
          console.log(await thread.compare('a', ${hash}))
          await thread.close()
          clearInterval(alive)
        })`
      // Root may raise it, unless it gives that right away.
      const without = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice'] : []
      const [program = '', ...words] = [...without, 'nice', '-n', '10', process.execPath, '-e', script]
      expect(spawnSync(program, words, { encoding: 'utf8' })).toMatchObject({ stdout: 'true\n', status: 0 })
    },
  )

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
