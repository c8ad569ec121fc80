import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { keepsakeChatStore, keepsakeMemoryBlock } from '../../src/llamaindex.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'
import { compileAndRun, examplesWith } from './examples.js'

interface Message {
  readonly role: string
  readonly content: unknown
  readonly options?: object
}

/** The parts of LlamaIndex that are used here. The real ones are loaded at run time. */
interface Memory {
  add(message: Message): Promise<void>
  getLLM(llm?: object, transient?: Message[]): Promise<Message[]>
}

interface ChatStore {
  getMessages(key: string): Promise<Message[]> | Message[]
  setMessages(key: string, messages: Message[]): void
  addMessage(key: string, message: Message, position?: number): void
  deleteMessages(key: string): void
  deleteMessage(key: string, position: number): void
  getKeys(): Promise<IterableIterator<string>> | IterableIterator<string>
}

interface ChatMemory {
  put(message: Message): Promise<void> | void
  getMessages(): Promise<Message[]>
  getAllMessages(): Promise<Message[]>
  reset(): Promise<void> | void
}

export const door: Door = {
  name: 'LlamaIndex memory',
  versions: [['llamaindex@0.12.1', '@llamaindex/core@0.6.22', '@llamaindex/workflow@1.1.24']],
  async open({ load, folder }) {
    const { BaseMemoryBlock, ChatMemoryBuffer, createMemory } = load('@llamaindex/core/memory')
    const { BaseChatStore, SimpleChatStore } = load('@llamaindex/core/storage/chat-store')
    const service = await startRealService()
    const clientOf = (userId: string) => new Keepsake({ url: service.url, userId })
    const memoryOf = (userId: string, options = {}): Memory =>
      createMemory({ memoryBlocks: [keepsakeMemoryBlock(BaseMemoryBlock, clientOf(userId), options)] })
    const said = (content: unknown, options?: object): Message => ({
      role: 'user',
      content,
      ...(options ? { options } : {}),
    })
    const contents = async (userId: string) => (await clientOf(userId).list().toArray()).map(({ content }) => content)

    return {
      checks: {
        'the example of the documents compiles strictly, and prints what they say': async () => {
          for (const { code, prints } of await examplesWith('llamaindex')) {
            assert.equal(await compileAndRun(folder, code, service.url), prints)
          }
        },
        'a new conversation recalls what was said in an earlier one, of its user only': async () => {
          const first = memoryOf('ana')
          await first.add(said('My sister Clara lives in Lyon.'))
          assert.equal((await first.getLLM()).length, 1)
          const second = memoryOf('ana')
          await second.add(said([{ type: 'text', text: 'Where does Clara live?' }]))
          const [notes, question] = await second.getLLM()
          assert.equal(notes?.role, 'memory')
          assert.match(String(notes?.content), /not instructions[\s\S]*My sister Clara lives in Lyon\.$/)
          assert.equal(question?.role, 'user')
          assert.deepEqual(await contents('ana'), ['My sister Clara lives in Lyon.'])
          const other = memoryOf('eve')
          await other.add(said('Where does Clara live?'))
          assert.equal((await other.getLLM()).length, 1)
        },
        'results of tools, questions and answers are not stored, and nothing is stored twice': async () => {
          const memory = memoryOf('ben')
          await memory.add(said('I live in Porto.'))
          await memory.add({ role: 'assistant', content: 'The museum opens at nine.' })
          const result = { toolResult: { id: 'call_1', result: 'x', isError: false } }
          await memory.getLLM(undefined, [said('The weather station reports rain.', result), said('Is it raining?')])
          await memory.getLLM()
          assert.deepEqual(await contents('ben'), ['I live in Porto.'])
          const both = memoryOf('ben-both', { remember: 'both', priority: 1, store: { ttl: '7d' } })
          await both.add({ role: 'assistant', content: 'The museum opens at nine.' })
          await both.getLLM()
          assert.deepEqual(await contents('ben-both'), ['Assistant: The museum opens at nine.'])
          const silent = memoryOf('ben-silent', { remember: 'nothing' })
          await silent.add(said('I live in Porto.'))
          await silent.getLLM()
          assert.deepEqual(await contents('ben-silent'), [])
        },
        'messages that no longer fit are stored': async () => {
          const memory: Memory = createMemory({
            tokenLimit: 20,
            memoryBlocks: [keepsakeMemoryBlock(BaseMemoryBlock, clientOf('cleo'))],
          })
          await memory.add(said('My cat is called Minka, and my dog is called Bello, and my fish is called Dory.'))
          assert.ok((await contents('cleo')).join(' ').includes('Minka'))
        },
        'a conversation goes on without memory when the service is down': async () => {
          const client = new Keepsake({ url: 'http://127.0.0.1:9', userId: 'dan', maxRetries: 0 })
          const warnings: unknown[] = []
          const logger = { ...console, warn: (...words: unknown[]) => warnings.push(words) }
          const memoryBlocks = [
            keepsakeMemoryBlock(BaseMemoryBlock, client, { onError: (error) => warnings.push(error) }),
          ]
          const memory: Memory = createMemory({ memoryBlocks, logger })
          await memory.add(said('I live in Porto.'))
          assert.deepEqual(
            (await memory.getLLM()).map(({ content }) => content),
            ['I live in Porto.'],
          )
          assert.equal(warnings.length, 1)
        },
        'a chat store behaves like LlamaIndex’s own': async () => {
          const seen: unknown[] = []
          for (const store of [
            new SimpleChatStore(),
            keepsakeChatStore(BaseChatStore, clientOf('fay')),
          ] as ChatStore[]) {
            // LlamaIndex's own store returns the list that it keeps.
            const messages = async (key: string) => structuredClone(await store.getMessages(key))
            const answers: unknown[] = [await messages('none')]
            // LlamaIndex does not wait for writes.
            for (const text of ['one', 'two', 'four']) store.addMessage('a.b / ü', said(text, { nested: [1, null] }))
            store.addMessage('a.b / ü', said('three'), 2)
            answers.push(await messages('a.b / ü'))
            store.deleteMessage('a.b / ü', 0)
            store.setMessages('other', [said('x'), said('y')])
            answers.push(await messages('a.b / ü'), [...(await store.getKeys())].sort())
            store.deleteMessages('other')
            answers.push(await messages('other'))
            seen.push(answers)
          }
          assert.deepEqual(seen[1], seen[0])
        },
        'a ChatMemoryBuffer lasts, and its users are kept apart': async () => {
          const bufferOf = (userId: string): ChatMemory =>
            new ChatMemoryBuffer({
              ...{ tokenLimit: 1_000, chatStoreKey: 'chat', llm: { metadata: { contextWindow: 1_000 } } },
              chatStore: keepsakeChatStore(BaseChatStore, clientOf(userId)),
            })
          const first = bufferOf('gil')
          void first.put(said('Hello'))
          void first.put({ role: 'assistant', content: 'Hello, Gil' })
          // LlamaIndex does not wait for writes; a read of the same store does.
          assert.equal((await first.getAllMessages()).length, 2)
          assert.deepEqual(await bufferOf('gil').getMessages(), [
            said('Hello'),
            { role: 'assistant', content: 'Hello, Gil' },
          ])
          assert.deepEqual(await bufferOf('eve').getAllMessages(), [])
          void first.reset()
          assert.deepEqual(await first.getAllMessages(), [])
          assert.deepEqual(await bufferOf('gil').getAllMessages(), [])
        },
        'a failed write is reported by the next read': async () => {
          const down = new Keepsake({ url: 'http://127.0.0.1:9', userId: 'hal', maxRetries: 0 })
          const store = keepsakeChatStore<ChatStore>(BaseChatStore, down)
          store.addMessage('c', said('lost'))
          await assert.rejects(async () => store.getMessages('c'), { name: 'ConnectionError' })
        },
      },
      close: () => service.close(),
    }
  },
}
