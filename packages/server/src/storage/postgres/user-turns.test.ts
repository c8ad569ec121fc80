import { describe, expect, it } from 'vitest'
import { UserTurns } from './user-turns.js'

function held() {
  let end = (): void => undefined
  const until = new Promise<void>((resolve) => {
    end = resolve
  })
  return { until, end: () => end() }
}

describe('user turns', () => {
  it('run one after the other for one user, and at the same time for others', async () => {
    const turns = new UserTurns(10)
    const order: string[] = []
    const { until, end } = held()
    const first = turns.run('ana', async () => {
      await until
      order.push('first')
    })
    const second = turns.run('ana', async () => void order.push('second'))
    await turns.run('bob', async () => void order.push('bob'))
    end()
    await Promise.all([first, second])
    expect(order).toEqual(['bob', 'first', 'second'])
  })

  it('continue after one that failed', async () => {
    const turns = new UserTurns(10)
    const failing = turns.run('ana', () => Promise.reject(new Error('no')))
    const next = turns.run('ana', async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })

  it('are rejected beyond the limit, and drained when all are over', async () => {
    const turns = new UserTurns(2)
    const { until, end } = held()
    const both = [turns.run('ana', () => until), turns.run('ana', () => until)]
    await expect(turns.run('bob', async () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
    let isDrained = false
    const drained = turns.drained().then(() => {
      isDrained = true
    })
    await Promise.resolve()
    expect(isDrained).toBe(false)
    end()
    await Promise.all([...both, drained])
    await turns.run('bob', async () => undefined)
  })
})
