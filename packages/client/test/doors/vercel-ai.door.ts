import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { memoryMiddleware, memoryTools } from '../../src/vercel-ai.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'
import { compileAndRun, examplesWith } from './examples.js'
import { messagesIn, startModelApi, textOf } from './model-api.js'

/** The parts of the SDK that are used here. The real ones are loaded at run time. */
interface Sdk {
  generateText(options: object): Promise<{ text: string; toolResults: { output: object }[]; steps: unknown[] }>
  streamText(options: object): { textStream: AsyncIterable<string> }
  wrapLanguageModel(options: object): object
  stepCountIs(count: number): unknown
}

export const door: Door = {
  name: 'Vercel AI SDK',
  versions: [
    ['ai@5.0.277', '@ai-sdk/openai@2.0.131', 'zod@4.1.12'],
    ['ai@6.0.326', '@ai-sdk/openai@3.0.139', 'zod@4.1.12'],
    ['ai@7.0.169', '@ai-sdk/openai@4.0.114', 'zod@4.1.12'],
  ],
  async open({ load, folder }) {
    const sdk = load('ai') as Sdk
    const service = await startRealService()
    const api = await startModelApi()
    const model = load('@ai-sdk/openai').createOpenAI({ apiKey: 'sk-test', baseURL: api.url })('gpt-5')
    const clientOf = (userId: string) => new Keepsake({ url: service.url, userId })
    const contents = async (userId: string) => (await clientOf(userId).list().toArray()).map(({ content }) => content)
    const remembering = (userId: string, options = {}) =>
      sdk.wrapLanguageModel({ model, middleware: memoryMiddleware(clientOf(userId), options) })

    return {
      checks: {
        'the example of the documents compiles strictly, and prints what they say': async () => {
          await clientOf('ana').store('John works at Acme Corp.')
          const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: api.url }
          for (const { code, prints } of await examplesWith('ai')) {
            assert.equal(await compileAndRun(folder, code, service.url, env), prints)
          }
        },
        'the tools also compile in a variable, with names, and in a stream': async () => {
          const code = `
import { openai } from '@ai-sdk/openai'
import { Keepsake } from '@keepsake/client'
import { memoryMiddleware, memoryTools } from '@keepsake/client/vercel-ai'
import { type LanguageModelMiddleware, stepCountIs, streamText, type ToolSet, wrapLanguageModel } from 'ai'

const client = new Keepsake({ url: 'http://127.0.0.1:8787', userId: 'bea' })
const tools = { ...memoryTools(client, { tools: ['forget_memories', 'store_memory'], store: { ttl: '7d' } }) } satisfies ToolSet
const middleware: LanguageModelMiddleware = memoryMiddleware(client, { remember: 'both' })
const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: [middleware] })
const { textStream } = streamText({ model, tools, prompt: 'Remember that I play the cello.', stopWhen: stepCountIs(3) })
let text = ''
for await (const part of textStream) text += part
console.log(text)
`
          const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: api.url }
          assert.equal(await compileAndRun(folder, code, service.url, env), 'I remember: The user plays the cello.\n')
          const wrong = code.replace("'forget_memories'", "'forget_everything'")
          await assert.rejects(compileAndRun(folder, wrong, service.url, env), /does not compile/)
        },
        'the model gets strict schemas without a user, and its tool calls run for the client’s user': async () => {
          const tools = memoryTools(clientOf('cleo'))
          const { text, steps } = await sdk.generateText({
            ...{ model, tools, prompt: 'Remember that I play the cello.', stopWhen: sdk.stepCountIs(3) },
          })
          assert.equal(text, 'I remember: The user plays the cello.')
          assert.equal(steps.length, 2)
          assert.deepEqual(await contents('cleo'), ['The user plays the cello.'])
          assert.deepEqual(await contents('somebody else'), [])
          const sent = api.requests.at(-1)?.tools as { name: string; parameters: object }[]
          assert.deepEqual(sent.map(({ name }) => name).sort(), ['recall_memories', 'store_memory'])
          const recall = sent.find(({ name }) => name === 'recall_memories')?.parameters
          assert.deepEqual(Reflect.get(recall ?? {}, 'required'), ['query', 'limit'])
          assert.doesNotMatch(JSON.stringify(sent), /userId|user_id|project/)
        },
        'the model hears of its own mistakes': async () => {
          const { text } = await sdk.generateText({
            ...{ model, tools: memoryTools(clientOf('cleo')), prompt: 'Do it badly', stopWhen: sdk.stepCountIs(3) },
          })
          assert.equal(text, 'I remember: limit: must be a whole number from 1 to 100')
        },
        'the middleware recalls before a call, and stores what was said, of its user only': async () => {
          await clientOf('eve').store('John works at Globex')
          await sdk.generateText({ model: remembering('dan'), prompt: 'John works at Acme Corp.' })
          assert.deepEqual(await contents('dan'), ['John works at Acme Corp.'])
          const system = 'Be brief.'
          const { text } = await sdk.generateText({
            ...{ model: remembering('dan'), system, instructions: system, prompt: 'Where does John work?' },
          })
          assert.equal(text, 'I remember: John works at Acme Corp.')
          const texts = messagesIn(api.requests.at(-1) ?? {}).map(textOf)
          assert.equal(texts[0], system)
          assert.match(texts[1] ?? '', /^Notes from earlier conversations/)
          assert.equal(texts[2], 'Where does John work?')
          assert.deepEqual(await contents('dan'), ['John works at Acme Corp.'])
        },
        'the middleware passes a stream on, and stores both sides when told to': async () => {
          const streamed = remembering('fay', { remember: 'both' })
          let text = ''
          for await (const part of sdk.streamText({ model: streamed, prompt: 'My cat is called Minka.' }).textStream) {
            text += part
          }
          assert.equal(text, 'I remember: nothing')
          assert.ok((await contents('fay')).includes('My cat is called Minka.'))
        },
        'a conversation goes on without memory when the service is down': async () => {
          const heard: string[] = []
          const client = new Keepsake({ url: 'http://127.0.0.1:9', userId: 'gil', maxRetries: 0 })
          const middleware = memoryMiddleware(client, { onError: (_, stage) => heard.push(stage) })
          const { text } = await sdk.generateText({
            ...{ model: sdk.wrapLanguageModel({ model, middleware }), prompt: 'My cat is called Minka.' },
          })
          assert.equal(text, 'I remember: nothing')
          assert.deepEqual(heard, ['recall', 'store'])
        },
      },
      async close() {
        await api.close()
        await service.close()
      },
    }
  },
}
