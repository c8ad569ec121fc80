import { describe, expect, it } from 'vitest'
import { quietJudge } from './quiet-judge.fixture.js'
import { watchJudge } from './watched-judge.js'

const pair = { old: 'a', fresh: 'b', follows: false }
const turn = { before: null, text: 'a', isAssistant: false }

describe('a watched judge', () => {
  it('counts the pairs and messages that wait', async () => {
    let finish: () => void = () => undefined
    const waiting = new Promise<void>((resolve) => {
      finish = resolve
    })
    const judge = watchJudge({
      ...quietJudge,
      judge: async (pairs) => {
        await waiting
        return quietJudge.judge(pairs)
      },
    })
    const asked = judge.judge([pair, pair])
    expect(judge.queueLength()).toBe(2)
    finish()
    await asked
    expect(judge.queueLength()).toBe(0)
    expect(await judge.weigh([turn])).toEqual([{ worth: 1, changes: 0 }])
  })

  it('remembers a failure until a call succeeds', async () => {
    const judge = watchJudge({
      ...quietJudge,
      judge: async () => {
        throw new Error('no thread')
      },
    })
    await expect(judge.judge([pair])).rejects.toThrow('no thread')
    expect([judge.lastCallFailed(), judge.queueLength()]).toEqual([true, 0])
    await judge.weigh([turn])
    expect(judge.lastCallFailed()).toBe(false)
  })
})
