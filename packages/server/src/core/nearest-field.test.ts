import { expect, it } from 'vitest'
import { unknownField } from './nearest-field.js'

const store = [
  'content',
  'messages',
  'user_id',
  'project',
  'metadata',
  'ttl',
  'created_at',
  'source',
  'conversation_id',
]
const recall = ['query', 'user_id', 'project', 'limit', 'threshold', 'max_tokens', 'enable_rerank', 'as_of', 'filter']

it.each([
  ['userId', store, 'user_id'],
  ['USER-ID', store, 'user_id'],
  ['user', store, 'user_id'],
  ['text', store, 'content'],
  ['text', recall, 'query'],
  ['message', store, 'messages'],
  ['top_k', recall, 'limit'],
  ['topK', recall, 'limit'],
  ['tll', store, 'ttl'],
  ['lmit', recall, 'limit'],
  ['conversationid', store, 'conversation_id'],
  ['filters', recall, 'filter'],
  ['maxToken', recall, 'max_tokens'],
])('suggests for %s in %j the field %s', (name, fields, field) => {
  expect(unknownField(name, fields)).toBe(`is not a known field; did you mean ${field}?`)
})

it.each([
  ['unexpected', store],
  ['top_k', store],
  ['', store],
  ['___', store],
  ['x', recall],
  ['constructor', store],
  ['__proto__', store],
  ['query'.repeat(20_000), recall],
])('suggests nothing where no field is near (%#)', (name, fields) => {
  expect(unknownField(name, fields)).toBe('is not a known field')
})
