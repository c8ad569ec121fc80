import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { keepsakeChatHistory, keepsakeRetriever } from '../../src/langchain.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'

interface Message {
  readonly content: unknown
  readonly tool_calls?: unknown
  getType(): string
}

/** The parts of LangChain's classes that are used here. The real ones are loaded at run time. */
interface History {
  getMessages(): Promise<Message[]>
  addMessages(messages: Message[]): Promise<void>
  addUserMessage(text: string): Promise<void>
  addAIMessage(text: string): Promise<void>
  clear(): Promise<void>
}

interface Retriever {
  invoke(query: string, config?: object): Promise<{ pageContent: string; metadata: object }[]>
  batch(queries: string[]): Promise<unknown[][]>
  pipe(next: unknown): { invoke(query: string): Promise<unknown> }
}

export const door: Door = {
  name: 'LangChain history, retriever',
  versions: [['@langchain/core@1.2.13']],
  quickly: '@langchain/core@1.2.13',
  async open({ load }) {
    const { BaseListChatMessageHistory } = load('@langchain/core/chat_history')
    const messages = load('@langchain/core/messages')
    const { BaseRetriever } = load('@langchain/core/retrievers')
    const { Runnable, RunnableLambda, RunnableWithMessageHistory } = load('@langchain/core/runnables')
    const service = await startRealService()
    const clientOf = (userId: string) => new Keepsake({ url: service.url, userId })
    const historyOf = (userId: string, sessionId: string) =>
      keepsakeChatHistory<History, Message, unknown>({ BaseListChatMessageHistory, ...messages }, clientOf(userId), {
        sessionId,
      })
    const textsOf = async (history: History) =>
      (await history.getMessages()).map((message) => `${message.getType()}: ${message.content}`)

    return {
      close: () => service.close(),
      checks: {
        'a history returns messages of every kind as they were': async () => {
          const history = historyOf('ana', 'thread.1 / ü')
          assert(history instanceof BaseListChatMessageHistory)
          assert.deepEqual(await history.getMessages(), [])
          const call = { name: 'search', args: { q: 'x' }, id: 'call_1', type: 'tool_call' }
          const given = [
            new messages.SystemMessage('Be brief'),
            new messages.HumanMessage({ content: [{ type: 'text', text: 'Hello' }], name: 'Ana' }),
            new messages.AIMessage({ content: '', tool_calls: [call] }),
            new messages.ToolMessage({ content: 'found', tool_call_id: 'call_1' }),
          ]
          await history.addMessages(given)
          const got = await historyOf('ana', 'thread.1 / ü').getMessages()
          assert.deepEqual(
            messages.mapChatMessagesToStoredMessages(got),
            JSON.parse(JSON.stringify(messages.mapChatMessagesToStoredMessages(given))),
          )
          assert(got[2] instanceof messages.AIMessage)
        },
        'a history keeps the order, and its conversations and users apart': async () => {
          const history = historyOf('ben', 's1')
          for (let n = 0; n < 12; n++) await (n % 2 ? history.addAIMessage(`a${n}`) : history.addUserMessage(`u${n}`))
          await historyOf('ben', 's2').addUserMessage('other')
          assert.deepEqual(
            await textsOf(history),
            Array.from({ length: 12 }, (_, n) => (n % 2 ? `ai: a${n}` : `human: u${n}`)),
          )
          assert.deepEqual(await textsOf(historyOf('eve', 's1')), [])
          await history.clear()
          assert.deepEqual(await textsOf(history), [])
          assert.deepEqual(await textsOf(historyOf('ben', 's2')), ['human: other'])
        },
        'a chain with a history continues the conversation': async () => {
          const chain = new RunnableWithMessageHistory({
            runnable: RunnableLambda.from(
              (input: { history: Message[] }) => new messages.AIMessage(`after ${input.history.length}`),
            ),
            getMessageHistory: (sessionId: string) => historyOf('cleo', sessionId),
            inputMessagesKey: 'input',
            historyMessagesKey: 'history',
          })
          const config = { configurable: { sessionId: 'chain' } }
          await chain.invoke({ input: 'one' }, config)
          assert.equal((await chain.invoke({ input: 'two' }, config)).content, 'after 2')
          assert.deepEqual(await textsOf(historyOf('cleo', 'chain')), [
            ...['human: one', 'ai: after 0', 'human: two', 'ai: after 2'],
          ])
        },
        'a retriever is a Runnable with callbacks, and finds memories of its user only': async () => {
          await clientOf('dan').store('Maria works at Acme Corp')
          await clientOf('eve').store('Maria works at Globex')
          const retriever = keepsakeRetriever<Retriever>(BaseRetriever, clientOf('dan'), { limit: 3 })
          assert(retriever instanceof BaseRetriever && retriever instanceof Runnable)
          const ended: number[] = []
          const callbacks = [{ handleRetrieverEnd: (documents: unknown[]) => void ended.push(documents.length) }]
          const found = await retriever.invoke('Where does Maria work?', { callbacks })
          assert.deepEqual(
            found.map(({ pageContent }) => pageContent),
            ['Maria works at Acme Corp'],
          )
          assert.deepEqual(ended, [1])
          assert.equal((await retriever.batch(['Maria', 'Acme'])).length, 2)
          const counted = retriever.pipe(RunnableLambda.from((documents: unknown[]) => documents.length))
          assert.equal(await counted.invoke('Where does Maria work?'), 1)
        },
      },
    }
  },
}
