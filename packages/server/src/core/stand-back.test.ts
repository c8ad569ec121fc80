import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'

describe.runIf(process.platform === 'linux')('a thread with a lower priority', () => {
  it('yields the core to others and does not affect other threads', async () => {
    const before = getPriority()
    const text = `
      import { getPriority } from 'node:os'
      import { parentPort } from 'node:worker_threads'
      import { standBack } from ${JSON.stringify(new URL('../../dist/core/stand-back.js', import.meta.url).href)}
      standBack(5)
      const once = getPriority()
      for (let time = 0; time < 5; time++) standBack(5)
      parentPort.postMessage([once, getPriority()])`
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`))
    const priorities = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    expect(priorities).toEqual([Math.min(19, before + 5), 19])
    expect(getPriority()).toBe(before)
  })
})
