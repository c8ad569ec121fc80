import { describe, expect, it } from 'vitest'
import { ValidationError } from './errors.js'
import { fromWire, pathPart, queryString, toWire } from './wire.js'

describe('names on the wire', () => {
  it('are snake_case on the wire and camelCase in the client, at every depth', () => {
    const ours = { userId: 'ana', messages: [{ role: 'user', createdAt: '2026-01-01' }], enableRerank: true }
    const theirs = { user_id: 'ana', messages: [{ role: 'user', created_at: '2026-01-01' }], enable_rerank: true }
    expect(toWire(ours)).toEqual(theirs)
    expect(fromWire(theirs)).toEqual(ours)
  })

  it('are not changed inside a filter, which a URL carries as JSON', () => {
    const filter = { 'metadata.runId': { in: [1, 'x'] }, created_at: { gte: new Date(0) } }
    expect(toWire({ filter })).toEqual({ filter })
    const text = decodeURIComponent(queryString({ filter, asOf: new Date(0) }))
    expect(text).toBe(
      '?filter={"metadata.runId":{"in":[1,"x"]},"created_at":{"gte":"1970-01-01T00:00:00.000Z"}}&as_of=1970-01-01T00:00:00.000Z',
    )
  })

  it('are not changed inside metadata, filters and checks', () => {
    const metadata = { camelCase: 1, snake_case: 2, nested: { innerKey: [{ another_key: 3 }] } }
    expect(toWire({ metadata, filters: { topicName: 'x' } })).toEqual({ metadata, filters: { topicName: 'x' } })
    expect(fromWire({ metadata, checks: { rate_limit: 'ok' } })).toEqual({ metadata, checks: { rate_limit: 'ok' } })
  })

  it('are omitted if the value is undefined, and kept if it is null', () => {
    expect(toWire({ userId: undefined, project: null })).toEqual({ project: null })
  })

  it('are rejected if one is given in two spellings', () => {
    expect(() => toWire({ user_id: 'ben', userId: 'ana' })).toThrow(ValidationError)
  })

  it('can’t pollute the prototype of an object', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"metadata":{"__proto__":1}}') as object
    for (const read of [fromWire(hostile), toWire(hostile)]) {
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
      expect('polluted' in read).toBe(false)
    }
    expect(JSON.stringify(toWire(hostile))).toBe(JSON.stringify(hostile))
  })

  it('keep dates as values', () => {
    const createdAt = new Date('2026-03-01T09:30:00Z')
    expect(JSON.stringify(toWire({ createdAt }))).toBe('{"created_at":"2026-03-01T09:30:00.000Z"}')
    expect(queryString({ asOf: createdAt })).toBe('?as_of=2026-03-01T09%3A30%3A00.000Z')
  })
})

describe('a URL', () => {
  it('has every value encoded, and no question mark without values', () => {
    expect(queryString({ q: 'a b&c=d+é', limit: 5, cursor: undefined })).toBe('?q=a%20b%26c%3Dd%2B%C3%A9&limit=5')
    expect(queryString({ cursor: undefined })).toBe('')
  })

  it('can’t be changed to another route by an id', () => {
    expect(pathPart('../keys?x#y')).toBe('..%2Fkeys%3Fx%23y')
    for (const id of ['', '.', '..']) expect(() => pathPart(id), id).toThrow(ValidationError)
  })
})
