/** Compile-time tests of the client's types. They fail in `npm run typecheck`. */
import { describe, expectTypeOf, it } from 'vitest'
import { Keepsake, type Memory, type RecallMemoriesAnswer } from '../src/index.js'

describe('the types', () => {
  const client = new Keepsake({ url: 'http://127.0.0.1:8787' })

  it('describe options and answers with camelCase names', () => {
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

  it('reject common mistakes', () => {
    const mistakes = () => [
      // @ts-expect-error: the spelling of the wire
      client.recall('x', { max_tokens: 10 }),
      // @ts-expect-error: a misspelt ttl would store the memory permanently
      client.store('x', { tll: '7d' }),
      // @ts-expect-error: erasing everything must be explicit
      client.forget({ all: false }),
      // @ts-expect-error: ids are required
      client.forget(),
      // @ts-expect-error: list uses a cursor, which excludes page
      client.list({ page: 2 }),
      // @ts-expect-error: the name is required
      client.keys.create({ userId: 'ben' }),
      // @ts-expect-error: the owner is an option, not a change
      client.update('mem_1', { userId: 'ben' }),
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
})
