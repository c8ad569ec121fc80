import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { type KeepsakeSession, keepsakeSession } from '../../src/openai-agents.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'

type Entry = Readonly<Record<string, unknown>>

export const door: Door = {
  name: 'OpenAI Agents Session',
  versions: [['@openai/agents@0.20.0', 'zod@4.1.12']],
  async open({ load }) {
    const { Agent, MemorySession, run, Usage } = load('@openai/agents')
    const service = await startRealService()
    const sessionOf = (userId: string, sessionId: string) =>
      keepsakeSession<Entry>(new Keepsake({ url: service.url, userId }), { sessionId })
    const said = (text: string): Entry => ({ type: 'message', role: 'user', content: text })

    return {
      close: () => service.close(),
      checks: {
        'behaves like the SDK’s own session': async () => {
          const seen: unknown[] = []
          const own: KeepsakeSession<Entry> = new MemorySession({ sessionId: 's.1 ü' })
          for (const session of [own, sessionOf('ana', 's.1 ü')]) {
            const answers: unknown[] = [await session.getSessionId(), await session.getItems(), await session.popItem()]
            await session.addItems([said('one'), said('two')])
            await session.addItems([{ ...said('three'), providerData: { nested_key: [1, null] } }])
            answers.push(await session.getItems(), await session.getItems(2), await session.getItems(0))
            answers.push(await session.popItem(), await session.getItems())
            await session.clearSession()
            answers.push(await session.getItems())
            seen.push(JSON.parse(JSON.stringify(answers, (_, value) => value ?? null)))
          }
          assert.deepEqual(seen[1], seen[0])
        },
        'keeps sessions and users apart': async () => {
          await sessionOf('ben', 'a').addItems([said('of ben')])
          assert.deepEqual(await sessionOf('ben', 'b').getItems(), [])
          assert.deepEqual(await sessionOf('eve', 'a').getItems(), [])
          await sessionOf('eve', 'a').clearSession()
          assert.equal((await sessionOf('ben', 'a').getItems()).length, 1)
        },
        'gives each of two concurrent pops another item': async () => {
          const session = sessionOf('pops', 's')
          await session.addItems([said('1'), said('2'), said('3')])
          const popped = await Promise.all([session.popItem(), session.popItem()])
          assert.equal(new Set(popped.map((item) => item?.content)).size, 2)
          assert.equal((await session.getItems()).length, 1)
        },
        'carries a conversation from one run of an agent to the next': async () => {
          const asked: number[] = []
          const model = {
            async getResponse({ input }: { input: Entry[] }) {
              asked.push(input.length)
              const content = [{ type: 'output_text', text: `answer ${asked.length}` }]
              const output = [{ type: 'message', role: 'assistant', status: 'completed', content }]
              return { usage: new Usage(), output, responseId: `r${asked.length}` }
            },
            getStreamedResponse() {
              throw new Error('no run here streams')
            },
          }
          const agent = new Agent({ name: 'Test', model })
          const first = await run(agent, 'Hello', { session: sessionOf('runs', 's') })
          assert.equal(first.finalOutput, 'answer 1')
          await run(agent, 'Again', { session: sessionOf('runs', 's') })
          assert.deepEqual(asked, [1, 3])
          assert.equal((await sessionOf('runs', 's').getItems()).length, 4)
        },
      },
    }
  },
}
