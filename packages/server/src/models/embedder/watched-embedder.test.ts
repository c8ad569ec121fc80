import { expect, it } from 'vitest'
import { fakeEmbedder } from './fake-embedder.js'
import { watchEmbedder } from './watched-embedder.js'

it('reports a failure until a call succeeds again, and passes both on', async () => {
  const inner = fakeEmbedder()
  let broken = false
  const watched = watchEmbedder({
    ...inner,
    embed: (texts) => (broken ? Promise.reject(new Error('away')) : inner.embed(texts)),
  })
  expect(await watched.embed(['a'])).toEqual(await inner.embed(['a']))
  expect(watched.lastCallFailed()).toBe(false)
  broken = true
  await expect(watched.embed(['a'])).rejects.toThrow('away')
  expect(watched.lastCallFailed()).toBe(true)
  broken = false
  await watched.embed(['a'])
  expect(watched.lastCallFailed()).toBe(false)
})
