import { describe, expect, it } from 'vitest'
import { SharedQuestion } from './replicas.js'

describe('a shared question', () => {
  it('answers everybody who asked before it was sent, and nobody who asked later', async () => {
    let asked = 0
    const answers: ((answer: number) => void)[] = []
    const question = new SharedQuestion<number>(() => {
      asked += 1
      return new Promise((resolve) => answers.push(resolve))
    })
    const first = [question.ask(), question.ask()]
    await Promise.resolve()
    await Promise.resolve()
    expect(asked).toBe(1)
    // The first is on its way: its answer may be older than these.
    const second = [question.ask(), question.ask()]
    answers[0]?.(1)
    expect(await Promise.all(first)).toEqual([1, 1])
    await new Promise(setImmediate)
    expect(asked).toBe(2)
    answers[1]?.(2)
    expect(await Promise.all(second)).toEqual([2, 2])
  })

  it('is asked again after a failure', async () => {
    let asked = 0
    const question = new SharedQuestion<number>(async () => {
      asked += 1
      if (asked === 1) throw new Error('lost')
      return asked
    })
    await expect(question.ask()).rejects.toThrow('lost')
    expect(await question.ask()).toBe(2)
  })
})
