import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { keepsakeStore } from '../../src/langgraph.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'

type Value = Record<string, unknown>
interface Found {
  value: Value
  key: string
  namespace: string[]
  createdAt: Date
  updatedAt: Date
  score?: number
}
/** The parts of LangGraph's store that are used here. The real class is loaded at run time. */
interface Store {
  get(namespace: string[], key: string): Promise<Found | null>
  put(namespace: string[], key: string, value: Value, index?: false | string[]): Promise<void>
  delete(namespace: string[], key: string): Promise<void>
  search(prefix: string[], options?: object): Promise<Found[]>
  listNamespaces(options?: object): Promise<string[][]>
  batch(operations: object[]): Promise<unknown[]>
}

export const door: Door = {
  name: 'LangGraph BaseStore',
  versions: [['@langchain/langgraph-checkpoint@1.1.5', '@langchain/core@1.2.13']],
  quickly: '@langchain/langgraph-checkpoint@1.1.5',
  async open({ load }) {
    const { BaseStore, InMemoryStore, AsyncBatchedStore } = load('@langchain/langgraph-checkpoint')
    const service = await startRealService()
    const clientOf = (userId: string) => new Keepsake({ url: service.url, userId })
    const storeOf = (userId: string) => keepsakeStore<Store>(BaseStore, clientOf(userId))
    const key = (found: readonly Found[]) => found.map((item) => item.key)

    /** The same calls on LangGraph's own store: the answers must be the same, apart from times and the order of a search. */
    const alike = (userId: string, calls: (store: Store) => Promise<unknown>) => async () => {
      const seen: unknown[] = []
      for (const store of [new InMemoryStore() as Store, storeOf(userId)]) seen.push(await calls(store))
      assert.deepEqual(seen[1], seen[0])
    }
    const fill = async (store: Store) => {
      await store.put(['docs'], 'a', { kind: 'report', n: 1, tags: ['x', 'y'], open: true })
      await store.put(['docs'], 'b', { kind: 'report', n: 5, tags: ['x'], meta: { by: 'ana' } })
      await store.put(['docs', 'old'], 'c', { kind: 'memo', n: 9, open: false })
      await store.put(['docs', 'old', 'v1'], 'd', { kind: 'memo', 'dotted.name': 1, none: null })
      await store.put(['users', 'v1'], 'e', { kind: 'user' })
    }

    return {
      close: () => service.close(),
      checks: {
        'is a BaseStore, also behind LangGraph’s batching': async () => {
          assert(storeOf('batched') instanceof BaseStore)
          const batched = new AsyncBatchedStore(storeOf('batched'))
          await batched.start()
          await Promise.all(['1', '2', '3'].map((each) => batched.put(['n'], each, { each })))
          const got = await Promise.all(['1', '2', '3'].map((each) => batched.get(['n'], each)))
          assert.deepEqual(
            got.map((item: Found) => item.value),
            [{ each: '1' }, { each: '2' }, { each: '3' }],
          )
          await batched.stop()
        },
        'gets what was put, replaces and deletes': alike('basics', async (store) => {
          const deep = { text: 'ß 😀', list: [1, null, { a: true }], empty: {} }
          await store.put(['a', 'b'], 'k/1 ü', deep)
          const first = await store.get(['a', 'b'], 'k/1 ü')
          await store.put(['a', 'b'], 'k/1 ü', { text: 'other' })
          const second = await store.get(['a', 'b'], 'k/1 ü')
          assert(first?.createdAt instanceof Date && second?.updatedAt instanceof Date)
          await store.delete(['a', 'b'], 'k/1 ü')
          await store.delete(['a', 'b'], 'never there')
          const gone = [await store.get(['a', 'b'], 'k/1 ü'), await store.get(['x'], 'y')]
          return [second?.value, second?.namespace, second?.key, gone]
        }),
        'refuses the namespaces that LangGraph refuses': async () => {
          for (const namespace of [[], [''], ['a.b'], ['langgraph']]) {
            await assert.rejects(storeOf('refused').put(namespace, 'k', {}), { name: 'InvalidNamespaceError' })
          }
        },
        'filters like LangGraph’s own store': alike('filters', async (store) => {
          await fill(store)
          const filters = [
            {},
            { kind: 'report' },
            { kind: 'report', n: 5 },
            { n: { $gt: 1 } },
            { n: { $gte: 5, $lt: 9 } },
            { n: { $lte: 5 } },
            { kind: { $ne: 'report' } },
            { kind: { $eq: 'memo' } },
            { open: false },
            { n: { $in: [1, 9] } },
            { kind: { $nin: ['memo'] } },
            { none: null },
            { 'dotted.name': 1 },
            { kind: 'nothing' },
          ]
          const found: unknown[] = []
          for (const filter of filters) found.push([filter, key(await store.search(['docs'], { filter })).sort()])
          return found
        }),
        'searches below a prefix, page by page': async () => {
          const store = storeOf('pages')
          for (let n = 0; n < 25; n++) await store.put(['p', n % 2 === 0 ? 'even' : 'odd'], `k${n}`, { n, odd: n % 2 })
          assert.equal((await store.search(['p'])).length, 10)
          const all = await store.search(['p'], { limit: 100 })
          const paged: Found[] = []
          for (let offset = 0; offset < 30; offset += 10)
            paged.push(...(await store.search(['p'], { limit: 10, offset })))
          assert.deepEqual(key(paged), key(all))
          assert.equal((await store.search(['p'], { filter: { odd: { $ne: 0 } }, limit: 100 })).length, 12)
          assert.deepEqual(await store.search(['p', 'eve']), [])
          assert.equal((await store.search([], { limit: 100 })).length, 25)
        },
        'finds by words and meaning, with scores, and not what was not indexed': async () => {
          const store = storeOf('meaning')
          await store.put(['m'], 'cat', { text: 'The cat sleeps on the warm roof', other: 'engine' })
          await store.put(['m'], 'tax', { text: 'The tax return is due in May' })
          await store.put(['m'], 'hidden', { text: 'The cat sleeps on the warm roof' }, false)
          await store.put(['m'], 'title', { title: 'Quarterly numbers', text: 'cat cat cat' }, ['title'])
          const found = await store.search(['m'], { query: 'cat on the warm roof', limit: 2 })
          assert.equal(found[0]?.key, 'cat')
          assert.equal(typeof found[0]?.score, 'number')
          assert(!key(await store.search(['m'], { query: 'cat on the warm roof' })).includes('hidden'))
          assert.equal((await store.search(['m'], { query: 'Quarterly numbers', limit: 1 }))[0]?.key, 'title')
          assert.notEqual(await store.get(['m'], 'hidden'), null)
        },
        'lists namespaces like LangGraph’s own store': alike('namespaces', async (store) => {
          await fill(store)
          const lists: unknown[] = []
          for (const options of [
            {},
            { prefix: ['docs'] },
            { prefix: ['*', 'old'] },
            { suffix: ['v1'] },
            { prefix: ['docs'], suffix: ['v1'] },
            { maxDepth: 1 },
            { maxDepth: 2, prefix: ['docs'] },
            { limit: 2, offset: 1 },
            { prefix: ['none'] },
          ]) {
            lists.push([options, await store.listNamespaces(options)])
          }
          return lists
        }),
        'reads before it writes in a batch, and the last write wins': async () => {
          const store = storeOf('batches')
          await store.put(['b'], 'k', { n: 1 })
          const [before, , , listed] = (await store.batch([
            { namespace: ['b'], key: 'k' },
            { namespace: ['b'], key: 'k', value: { n: 2 } },
            { namespace: ['b'], key: 'k', value: { n: 3 } },
            { matchConditions: undefined, limit: 10, offset: 0 },
          ])) as [Found, unknown, unknown, string[][]]
          assert.deepEqual([before.value, listed, (await store.get(['b'], 'k'))?.value], [{ n: 1 }, [['b']], { n: 3 }])
        },
        'shows nothing of another user': async () => {
          await storeOf('ana').put(['shared'], 'k', { secret: 'of ana' })
          const ben = storeOf('ben')
          assert.equal(await ben.get(['shared'], 'k'), null)
          assert.deepEqual(await ben.search([], { query: 'of ana' }), [])
          assert.deepEqual(await ben.listNamespaces(), [])
        },
      },
    }
  },
}
