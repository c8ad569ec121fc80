/** What the compiler says of the client; `npm run typecheck` is what makes these tests fail. */
import { describe, expectTypeOf, it } from 'vitest'
import { Keepsake, type Memory, type RecallMemoriesAnswer } from '../src/index.js'

describe('the types', () => {
  const client = new Keepsake({ url: 'http://127.0.0.1:8787' })

  it('know options and answers by their camelCase names', () => {
    expectTypeOf(client.recall).returns.resolves.toEqualTypeOf<RecallMemoriesAnswer>()
    expectTypeOf<Memory['createdAt']>().toEqualTypeOf<string>()
    expectTypeOf<Memory['expiresAt']>().toEqualTypeOf<string | null>()
    expectTypeOf<Memory['metadata']>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf(client.list()[Symbol.asyncIterator]().next).returns.resolves.toEqualTypeOf<
      IteratorResult<Memory, void>
    >()
    expectTypeOf(client.store).toBeCallableWith('x', { ttl: 'session', createdAt: new Date(), project: null })
    expectTypeOf(client.store).toBeCallableWith('x', { ttl: '90d', userId: undefined })
  })

  it('refuse what would be a mistake', () => {
    const mistakes = () => [
      // @ts-expect-error: the wire's spelling
      client.recall('x', { max_tokens: 10 }),
      // @ts-expect-error: misspelt, it would be stored for ever
      client.store('x', { tll: '7d' }),
      // @ts-expect-error: everything must be asked for in so many words
      client.forget({ all: false }),
      // @ts-expect-error: as must the ids
      client.forget(),
      // @ts-expect-error: a page and a cursor exclude each other; list goes by cursor
      client.list({ page: 2 }),
      // @ts-expect-error: whose key it is
      client.keys.create({ name: 'laptop' }),
      // @ts-expect-error: the owner is an option, not a change
      client.update('mem_1', { userId: 'ben' }),
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
})
