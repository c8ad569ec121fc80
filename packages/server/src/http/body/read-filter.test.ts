import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { readFilter, readFilterText } from './read-filter.js'

describe('a filter', () => {
  it('has conditions that must all hold, and, or and not', () => {
    expect(
      readFilter({
        project: 'work',
        or: [{ 'metadata.a.b': { gte: 1, lt: 'x' } }, { not: { source: { in: ['api', 'mcp'] } } }],
      }),
    ).toEqual({
      field: 'and',
      parts: [
        { field: 'project', test: { op: 'in', values: ['work'] } },
        {
          field: 'or',
          parts: [
            {
              field: 'and',
              parts: [
                { field: 'metadata', path: ['a', 'b'], test: { op: 'gte', value: 1 } },
                { field: 'metadata', path: ['a', 'b'], test: { op: 'lt', value: 'x' } },
              ],
            },
            { field: 'not', part: { field: 'source', test: { op: 'in', values: ['api', 'mcp'] } } },
          ],
        },
      ],
    })
  })

  it.each([
    ['metadata.a', ['a']],
    ['metadata.', ['']],
    ['metadata.a.', ['a', '']],
    ['metadata.a\\.b.c', ['a.b', 'c']],
    ['metadata.a\\\\.b', ['a\\', 'b']],
    ['metadata.$.0', ['$', '0']],
    ['metadata.and', ['and']],
  ])('reads the keys of %s', (name, path) => {
    expect(readFilter({ [name]: null })).toEqual({ field: 'metadata', path, test: { op: 'in', values: [null] } })
  })

  it('takes exists as true or false', () => {
    const exists = { field: 'metadata', path: ['a'], test: { op: 'exists' } }
    expect(readFilter({ 'metadata.a': { exists: true } })).toEqual(exists)
    expect(readFilter({ 'metadata.a': { exists: false } })).toEqual({ field: 'not', part: exists })
    const none = { field: 'project', test: { op: 'in', values: [null] } }
    expect(readFilter({ project: { exists: false } })).toEqual({
      field: 'not',
      part: { field: 'not', part: none },
    })
  })

  it('reads times as moments', () => {
    expect(readFilter({ created_at: { gt: '1970-01-01T01:00:01+01:00' } })).toEqual({
      field: 'createdAt',
      test: { op: 'gt', value: 1000 },
    })
  })

  const nested = (levels: number): object => (levels === 1 ? { project: 'p' } : { not: nested(levels - 1) })
  const many = (count: number) => Array.from({ length: count }, (_, n) => n)

  it('may be as deep and as large as the limits', () => {
    expect(() => readFilter(nested(8))).not.toThrow()
    expect(() => readFilter({ or: many(64).map((n) => ({ 'metadata.a': n })) })).not.toThrow()
    expect(() => readFilter({ 'metadata.a': { in: many(100) } })).not.toThrow()
    expect(() => readFilter({ 'metadata.1.2.3.4.5.6.7.8': 1 })).not.toThrow()
  })

  it.each<[problem: string, filter: unknown, path: string]>([
    ['an unknown field', { colour: 'red' }, 'filter.colour'],
    ['an unknown field in a list', { and: [{ project: 'p' }, { user_id: 'bob' }] }, 'filter.and[1].user_id'],
    ['metadata as a whole', { metadata: { a: 1 } }, 'filter.metadata'],
    ['an inherited name', { constructor: 'x' }, 'filter.constructor'],
    ['an unknown operator', { 'metadata.a': { contains: 'x' } }, 'filter["metadata.a"].contains'],
    ['an inherited operator', { project: { toString: 'x' } }, 'filter.project.toString'],
    ['a range of a text field', { project: { gt: 'a' } }, 'filter.project.gt'],
    ['one moment of a period', { event_time: '2026-01-01' }, 'filter.event_time'],
    ['an operator in capitals', { AND: [{ project: 'p' }] }, 'filter.AND'],
    ['nothing', {}, 'filter'],
    ['a list', [{ project: 'p' }], 'filter'],
    ['a text', 'project', 'filter'],
    ['no operator', { project: {} }, 'filter.project'],
    ['an empty list', { or: [] }, 'filter.or'],
    ['an empty list of values', { project: { in: [] } }, 'filter.project.in'],
    ['a list as a value', { 'metadata.a': [1] }, 'filter["metadata.a"]'],
    ['an object in a list', { 'metadata.a': { in: [1, {}] } }, 'filter["metadata.a"].in[1]'],
    ['a range of a boolean', { 'metadata.a': { gt: true } }, 'filter["metadata.a"].gt'],
    ['a range of null', { 'metadata.a': { lte: null } }, 'filter["metadata.a"].lte'],
    ['exists as a number', { 'metadata.a': { exists: 1 } }, 'filter["metadata.a"].exists'],
    ['a number as a project', { project: 5 }, 'filter.project'],
    ['no source', { source: null }, 'filter.source'],
    ['a text as a score', { trust_score: '1' }, 'filter.trust_score'],
    ['a number as a time', { created_at: { gt: 0 } }, 'filter.created_at.gt'],
    ['30 February', { created_at: '2026-02-30' }, 'filter.created_at'],
    ['a stray backslash', { 'metadata.a\\b': 1 }, 'filter["metadata.a\\\\b"]'],
    ['a backslash at the end', { 'metadata.a\\': 1 }, 'filter["metadata.a\\\\"]'],
    ['too many levels', nested(9), `filter${'.not'.repeat(8)}`],
    ['too many conditions', { or: many(65).map((n) => ({ 'metadata.a': n })) }, 'filter'],
    ['too many values', { 'metadata.a': { in: many(101) } }, 'filter["metadata.a"].in'],
    ['too many keys', { 'metadata.1.2.3.4.5.6.7.8.9': 1 }, 'filter["metadata.1.2.3.4.5.6.7.8.9"]'],
    ['a long name', { entity: 'x'.repeat(257) }, 'filter.entity'],
  ])('with %s is refused, and the error names the place', (_problem, filter, path) => {
    expect(pathOf(() => readFilter(filter))).toBe(path)
    expect(pathOf(() => readFilterText(JSON.stringify(filter)))).toBe(path)
  })

  it.each(['', '{', '{"project":"a","project":"b"}', '{"metadata.a":1e400}', '{"__proto__":1}', '\ufeff{}'])(
    'in a URL must be strict JSON: %s',
    (text) => {
      expect(pathOf(() => readFilterText(text))).toBe('filter')
    },
  )
})

function pathOf(read: () => unknown): string | undefined {
  try {
    read()
  } catch (error) {
    if (error instanceof ServiceError) return error.details?.[0]?.path
    throw error
  }
  return undefined
}
