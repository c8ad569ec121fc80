import { describe, expect, it } from 'vitest'
import { scoped } from './bridge.js'

const call = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})
const given = (name: string, args: object) => scoped(call(name, args), 'shop-1').params

describe('a tool call within a project', () => {
  it('stores in the project, unless it is about the user', () => {
    expect(given('store_memory', { content: 'We use pnpm.' })).toMatchObject({ arguments: { project: 'shop-1' } })
    const own = call('store_memory', { content: 'I prefer short answers.' })
    expect(scoped(own, 'shop-1')).toEqual(own)
  })

  it('searches the project and the user’s own memories', () => {
    const filter = { or: [{ project: 'shop-1' }, { project: null }] }
    for (const name of ['recall_memories', 'list_memories'])
      expect(given(name, { query: 'x' })).toMatchObject({ arguments: { query: 'x', filter } })
  })

  it('erases everything of the project only', () => {
    expect(given('forget_memories', { all: true })).toMatchObject({ arguments: { all: true, project: 'shop-1' } })
    expect(given('forget_memories', { memory_ids: ['mem_1'] })).toMatchObject({ arguments: { memory_ids: ['mem_1'] } })
  })

  it('leaves a call alone that says where, every other message, and every call outside a project', () => {
    for (const message of [
      call('store_memory', { content: 'x', project: 'blog' }),
      call('recall_memories', { query: 'x', filter: { source: 'api' } }),
      call('recall_memories', { query: 'x', spaces: ['own'] }),
      call('profile', {}),
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', method: 'tools/call', params: null },
    ])
      expect(scoped(message, 'shop-1')).toEqual(message)
    const message = call('store_memory', { content: 'x' })
    expect(scoped(message, undefined)).toBe(message)
  })
})
