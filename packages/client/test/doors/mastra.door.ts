import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { keepsakeMemoryStorage } from '../../src/mastra.js'
import { memoryMiddleware } from '../../src/vercel-ai.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'
import { compileAndRun, examplesWith } from './examples.js'
import { messagesIn, startModelApi, textOf } from './model-api.js'

/** The calls of Mastra's storage that are used here. The real class is loaded at run time. */
type Call = (given: unknown) => Promise<Record<string, unknown> | null>
type Storage = Record<
  | 'getThreadById'
  | 'saveThread'
  | 'updateThread'
  | 'deleteThread'
  | 'listThreads'
  | 'saveMessages'
  | 'updateMessages'
  | 'deleteMessages'
  | 'listMessages'
  | 'listMessagesById'
  | 'listMessagesByResourceId'
  | 'cloneThread'
  | 'getResourceById'
  | 'saveResource'
  | 'updateResource'
  | 'updateThreadMetadata'
  | 'dangerouslyClearAll',
  Call
>

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
const thread = (id: string, resourceId: string, more = {}) => ({
  ...{ id, resourceId, title: `Thread ${id}`, metadata: { kind: 'chat' } },
  ...{ createdAt: at(0), updatedAt: at(0), ...more },
})
const message = (id: string, threadId: string, text: string, minute: number, more = {}) => ({
  ...{ id, threadId, role: 'user', createdAt: at(minute), resourceId: 'r1', type: 'text' },
  content: { format: 2, parts: [{ type: 'text', text }], metadata: { minute } },
  ...more,
})

/** Mastra's own storage returns the objects that it keeps, and changes them later. */
function copying(storage: Storage): Storage {
  const call =
    (method: Call): Call =>
    async (given) =>
      structuredClone(await method.call(storage, given))
  return new Proxy(storage, { get: (target, name) => call(Reflect.get(target, name)) })
}

/** Without the times and ids that every storage chooses itself. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (name, each) =>
    ['updatedAt', 'clonedAt'].includes(name) && each !== undefined ? 'a time' : each,
  )
  return text === undefined ? undefined : JSON.parse(text)
}

export const door: Door = {
  name: 'Mastra memory storage',
  versions: [['@mastra/core@1.71.0', '@mastra/memory@1.31.0', 'ai@7.0.169', '@ai-sdk/openai@4.0.114', 'zod@4.1.12']],
  async open({ load, folder }) {
    const parts = load('@mastra/core/storage')
    const { Agent } = load('@mastra/core/agent')
    const { Memory } = load('@mastra/memory')
    const service = await startRealService()
    const api = await startModelApi()
    const model = load('@ai-sdk/openai').createOpenAI({ apiKey: 'sk-test', baseURL: api.url })('gpt-5')
    const clientOf = (userId: string) => new Keepsake({ url: service.url, userId })
    const storageOf = (userId: string) => keepsakeMemoryStorage<object, never>(parts, clientOf(userId)) as Storage
    const memoryOf = (userId: string) =>
      new Memory({
        storage: new parts.MastraCompositeStore({ id: 'keepsake', domains: { memory: storageOf(userId) } }),
        options: { lastMessages: 10, workingMemory: { enabled: true, scope: 'resource' } },
      })
    const agentOf = (userId: string, agentModel = model) =>
      new Agent({ id: 'a', name: 'A', instructions: 'Be brief.', model: agentModel, memory: memoryOf(userId) })

    /** The same calls on Mastra's own storage: the answers must be the same. */
    const alike = (userId: string, calls: (storage: Storage) => Promise<unknown>) => async () => {
      const seen: unknown[] = []
      const own = new parts.InMemoryMemory({ db: new parts.InMemoryDB() }) as Storage
      for (const storage of [own, storageOf(userId)]) seen.push(comparable(await calls(copying(storage))))
      assert.deepEqual(seen[1], seen[0])
    }
    const fill = async (storage: Storage) => {
      await storage.saveThread({ thread: thread('t1', 'r1') })
      await storage.saveThread({
        thread: thread('t.2 / ü', 'r1', { createdAt: at(1), metadata: { kind: 'memo', deep: { a: [1] } } }),
      })
      await storage.saveThread({ thread: thread('t3', 'r2', { createdAt: at(5), title: undefined }) })
      for (let n = 0; n < 6; n++) {
        await storage.saveMessages({ messages: [message(`m${n}`, 't1', `text ${n}`, n)] })
      }
      await storage.saveMessages({
        messages: [message('m.6 / ü', 't.2 / ü', 'six', 6), message('m7', 't3', 'seven', 7, { resourceId: 'r2' })],
      })
    }
    const errorOf = (call: Promise<unknown>) =>
      call.then(
        () => 'no error',
        (error: Error) => error.message,
      )

    return {
      checks: {
        'the example of the documents compiles strictly, and prints what they say': async () => {
          const local = `{ id: 'openai/gpt-5', url: '${api.url}', apiKey: 'sk-test' }`
          for (const { code, prints } of await examplesWith('@mastra/memory')) {
            const redirected = code.replace("'openai/gpt-5'", local)
            assert.equal(await compileAndRun(folder, redirected, service.url), prints)
          }
        },
        'threads: save, read, update, list and delete': alike('threads', async (storage) => {
          await fill(storage)
          const answers: unknown[] = [
            await storage.getThreadById({ threadId: 't.2 / ü' }),
            await storage.getThreadById({ threadId: 't1', resourceId: 'r2' }),
            await storage.getThreadById({ threadId: 'none' }),
            await storage.updateThread({ id: 't1', metadata: { mood: 'good' } }),
            await storage.updateThread({ id: 't1', title: 'New' }),
            await errorOf(storage.updateThread({ id: 'none', title: 'x' })),
            await storage.updateThreadMetadata({ id: 't1', update: () => ({ n: 1 }) }),
          ]
          const orderBy = { field: 'createdAt', direction: 'ASC' }
          for (const given of [
            { filter: { resourceId: 'r1' }, orderBy },
            { filter: { metadata: { kind: 'memo' } }, orderBy },
            { filter: { metadata: { deep: { a: [1] } } }, orderBy },
            { perPage: 2, page: 1, orderBy },
            { perPage: false, orderBy },
          ]) {
            answers.push(await storage.listThreads(given))
          }
          answers.push(await errorOf(storage.listThreads({ page: -1 })))
          await storage.deleteThread({ threadId: 't1' })
          answers.push(await storage.listThreads({ orderBy }), await storage.listMessages({ threadId: 't1' }))
          return answers
        }),
        'messages: pages, filters, neighbours, by id and by resource': alike('messages', async (storage) => {
          await fill(storage)
          const answers: unknown[] = []
          for (const given of [
            { threadId: 't1' },
            { threadId: 't1', perPage: 2, page: 1 },
            { threadId: 't1', perPage: 2, orderBy: { field: 'createdAt', direction: 'DESC' } },
            { threadId: ['t1', 't3'], perPage: false },
            { threadId: 't1', resourceId: 'r2' },
            { threadId: 't1', filter: { dateRange: { start: at(2), end: at(4), endExclusive: true } } },
            { threadId: 't1', filter: { metadata: { minute: 3 } } },
            { threadId: 't3', include: [{ id: 'm2', withPreviousMessages: 1, withNextMessages: 2 }] },
            { threadId: 't1', perPage: 0, include: [{ id: 'm.6 / ü' }] },
            { threadId: 'none' },
          ]) {
            answers.push(await storage.listMessages(given))
          }
          answers.push(await errorOf(storage.listMessages({ threadId: ' ' })))
          answers.push(await storage.listMessagesById({ messageIds: ['m1', 'm7', 'none', 'm.6 / ü'] }))
          answers.push(await storage.listMessagesByResourceId({ resourceId: 'r1', perPage: 4 }))
          return answers
        }),
        'messages: replace, update, move and delete': alike('changes', async (storage) => {
          await fill(storage)
          await storage.saveMessages({ messages: [message('m0', 't1', 'replaced', 0)] })
          const answers: unknown[] = [
            await storage.updateMessages({
              messages: [
                { id: 'm1', content: { metadata: { edited: true } } },
                { id: 'none', role: 'assistant' },
              ],
            }),
            await storage.updateMessages({ messages: [{ id: 'm2', threadId: 't3' }] }),
          ]
          await storage.deleteMessages(['m3', 'm7', 'none'])
          for (const threadId of ['t1', 't3']) answers.push(await storage.listMessages({ threadId }))
          return answers
        }),
        'a clone of a thread has its messages': alike('clones', async (storage) => {
          await fill(storage)
          const clone = await storage.cloneThread({
            ...{ sourceThreadId: 't1', newThreadId: 'copy', title: 'Copy' },
            options: { messageLimit: 3 },
          })
          const cloned = (clone?.clonedMessages ?? []) as { content: unknown; threadId: string }[]
          return [
            cloned.map(({ content, threadId }) => [content, threadId]),
            { ...(await storage.getThreadById({ threadId: 'copy' })), createdAt: 0 },
            await errorOf(storage.cloneThread({ sourceThreadId: 't1', newThreadId: 't3' })),
            (await storage.listMessages({ threadId: 't1' }))?.total,
          ]
        }),
        'resources: working memory': alike('resources', async (storage) => [
          await storage.getResourceById({ resourceId: 'r1' }),
          comparable({ ...(await storage.updateResource({ resourceId: 'r1', workingMemory: 'a' })), createdAt: 0 }),
          comparable({ ...(await storage.updateResource({ resourceId: 'r1', metadata: { b: 1 } })), createdAt: 0 }),
          await storage.saveResource({
            resource: { id: 'r2', workingMemory: 'x', createdAt: at(0), updatedAt: at(0) },
          }),
          await storage.getResourceById({ resourceId: 'r2' }),
        ]),
        'two writers of a thread lose no metadata': async () => {
          await storageOf('writers').saveThread({ thread: thread('t', 'r') })
          const names = ['a', 'b', 'c', 'd']
          await Promise.all(
            names.map((name) => storageOf('writers').updateThread({ id: 't', metadata: { [name]: true } })),
          )
          const read = await storageOf('writers').getThreadById({ threadId: 't' })
          assert.deepEqual(Object.keys(read?.metadata ?? {}).sort(), [...names, 'kind'])
        },
        'shows nothing of another user, and clears only its own': async () => {
          await fill(storageOf('ana'))
          await clientOf('ana').items.put('other', 'k', 1)
          const eve = storageOf('eve')
          assert.equal(await eve.getThreadById({ threadId: 't1' }), null)
          assert.equal((await eve.listThreads({}))?.total, 0)
          assert.deepEqual((await eve.listMessagesById({ messageIds: ['m1'] }))?.messages, [])
          await eve.dangerouslyClearAll({})
          await eve.deleteMessages(['m1'])
          assert.equal((await storageOf('ana').listMessages({ threadId: 't1' }))?.total, 6)
          await storageOf('ana').dangerouslyClearAll({})
          assert.equal((await storageOf('ana').listThreads({}))?.total, 0)
          assert.notEqual(await clientOf('ana').items.get('other', 'k'), null)
        },
        'an agent continues a conversation in another process, with its working memory': async () => {
          const memory = { thread: 'talk', resource: 'bea' }
          await agentOf('agents').generate('My cat is called Minka.', { memory })
          await memoryOf('agents').updateWorkingMemory({
            ...{ threadId: 'talk', resourceId: 'bea', workingMemory: '# Name: Bea' },
          })
          await agentOf('agents').generate('And my dog is called Bello.', { memory })
          const texts = messagesIn(api.requests.at(-1) ?? {}).map(textOf)
          assert.ok(texts.includes('My cat is called Minka.'), texts.join('\n'))
          assert.ok(texts.some((text) => text.includes('# Name: Bea')))
          const stored = await storageOf('agents').listMessages({ threadId: 'talk' })
          assert.equal(stored?.total, 4)
        },
        'with the middleware, an agent recalls what it learned in another thread': async () => {
          const { wrapLanguageModel } = load('ai')
          const remembering = () => wrapLanguageModel({ model, middleware: memoryMiddleware(clientOf('cleo')) })
          const tell = { memory: { thread: 'one', resource: 'cleo' } }
          await agentOf('cleo-threads', remembering()).generate('John works at Acme Corp.', tell)
          const ask = { memory: { thread: 'two', resource: 'cleo' } }
          const { text } = await agentOf('cleo-threads', remembering()).generate('Where does John work?', ask)
          assert.equal(text, 'I remember: John works at Acme Corp.')
        },
      },
      async close() {
        await api.close()
        await service.close()
      },
    }
  },
}
