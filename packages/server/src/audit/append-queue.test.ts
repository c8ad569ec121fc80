import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AppendQueue } from './append-queue.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A disk that takes as many bytes as the next number says, or fails. */
function disk(answers: (number | 'fails')[]) {
  const content: Buffer[] = []
  const write = async (bytes: Buffer): Promise<number> => {
    const answer = answers.shift() ?? bytes.length
    if (answer === 'fails') throw new Error('ENOSPC')
    const taken = Math.min(answer, bytes.length)
    content.push(bytes.subarray(0, taken))
    return taken
  }
  return { write, content: () => Buffer.concat(content).toString('utf8') }
}

it('keeps every byte in order through short writes and failures', async () => {
  const answers = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('fails' as const)), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(answers, fc.array(fc.string({ unit: 'binary', minLength: 1 })), async (planned, lines) => {
      const failures = planned.filter((answer) => answer === 'fails' || answer === 0).length
      const { write, content } = disk([...planned])
      let errors = 0
      const queue = new AppendQueue({ write, onError: () => (errors += 1) })
      for (const line of lines) expect(queue.push(line)).toBe(true)
      await vi.runAllTimersAsync()
      await queue.close()
      expect(content()).toBe(Buffer.from(lines.join(''), 'utf8').toString('utf8'))
      expect(errors).toBeLessThanOrEqual(failures)
    }),
  )
})

it('reports a full disk once per attempt, not once per line, and refuses lines beyond its limit', async () => {
  const { write, content } = disk(['fails', 'fails'])
  const onError = vi.fn()
  const queue = new AppendQueue({ write, onError, maxWaitingBytes: 6 })
  expect(queue.push('one\n')).toBe(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(queue.push('two\n')).toBe(true)
  expect(queue.push('three\n')).toBe(false)
  expect(onError).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(onError).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(1000)
  expect(content()).toBe('one\ntwo\n')
  expect(queue.push('four\n')).toBe(true)
  await queue.close()
  expect(content()).toBe('one\ntwo\nfour\n')
})

it('tries once more on close, leaves no timer running and accepts nothing afterwards', async () => {
  const { write } = disk(['fails', 'fails', 'fails'])
  const onError = vi.fn()
  const queue = new AppendQueue({ write, onError })
  queue.push('one\n')
  await queue.close()
  expect(onError).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
  expect(queue.push('two\n')).toBe(false)
})

it('runs a step after the lines before it and before the lines after it, even while writes fail', async () => {
  const { write, content } = disk([2, 'fails', 1])
  const queue = new AppendQueue({ write, onError: () => undefined })
  let seen = ''
  queue.push('one\n')
  queue.between(async () => {
    seen = content()
    expect(queue.push('three\n')).toBe(true)
  })
  queue.push('two\n')
  await vi.runAllTimersAsync()
  await queue.close()
  expect(seen).toBe('one\n')
  expect(content()).toBe('one\ntwo\nthree\n')
})
