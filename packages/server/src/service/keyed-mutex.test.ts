import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyedMutex } from './keyed-mutex.js'

it('runs one holder per key at a time, in order, for any mix of keys and failures', async () => {
  const calls = fc.array(fc.record({ key: fc.constantFrom('ann', 'bob', ''), fails: fc.boolean(), ticks: fc.nat(4) }))
  await fc.assert(
    fc.asyncProperty(calls, async (works) => {
      const mutex = keyedMutex()
      const inside = new Map<string, number>()
      const order = new Map<string, number[]>()
      const results = await Promise.allSettled(
        works.map(({ key, fails, ticks }, index) =>
          mutex.run(key, async () => {
            expect(inside.get(key)).toBeUndefined()
            inside.set(key, index)
            order.set(key, [...(order.get(key) ?? []), index])
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
            inside.delete(key)
            if (fails) throw new Error(`failed ${index}`)
            return index
          }),
        ),
      )
      for (const [index, result] of results.entries()) {
        if (works[index]?.fails)
          expect(result).toMatchObject({ status: 'rejected', reason: new Error(`failed ${index}`) })
        else expect(result).toEqual({ status: 'fulfilled', value: index })
      }
      for (const indexes of order.values()) expect(indexes).toEqual([...indexes].sort((a, b) => a - b))
    }),
  )
})

it('runs holders of different keys at the same time', async () => {
  const mutex = keyedMutex()
  let letAnnGo = (): void => undefined
  const ann = mutex.run('ann', () => new Promise<void>((resolve) => (letAnnGo = resolve)))
  expect(await mutex.run('bob', async () => 'bob')).toBe('bob')
  letAnnGo()
  await ann
})

it('frees a key when the work throws before it returns a promise', async () => {
  const mutex = keyedMutex()
  const broken = mutex.run('ann', () => {
    throw new Error('at once')
  })
  await expect(broken).rejects.toThrow('at once')
  expect(await mutex.run('ann', async () => 1)).toBe(1)
})
