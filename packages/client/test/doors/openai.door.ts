import assert from 'node:assert/strict'
import { Keepsake } from '../../src/index.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'
import { compileAndRun, examplesWith } from './examples.js'
import { messagesIn, startModelApi } from './model-api.js'

export const door: Door = {
  name: 'OpenAI tools',
  versions: [['openai@5.23.2'], ['openai@6.49.0'], ['openai@7.53.0']],
  quickly: 'openai@6.49.0',
  async open({ folder }) {
    const service = await startRealService()
    const api = await startModelApi()
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: api.url }
    const examples = await examplesWith('openai')
    await new Keepsake({ url: service.url, userId: 'ana' }).store('John works at Acme Corp.')
    const checks = examples.map(({ code, prints }, at) => {
      const check = async () => {
        assert.equal(await compileAndRun(folder, code, service.url, env), prints)
        // The model got the tools, and then their result.
        const last = messagesIn(api.requests.at(-1) ?? {}).at(-1)
        assert.match(JSON.stringify(last), /Acme Corp/)
      }
      return [`example ${at + 1} of the documents compiles strictly, and prints what they say`, check] as const
    })
    const [chat] = examples
    return {
      checks: {
        ...Object.fromEntries(checks),
        'the model hears of its own mistakes': async () => {
          const asked = (chat?.code ?? '').replace('Where does John work?', 'Do it badly')
          const printed = await compileAndRun(folder, asked, service.url, env)
          assert.equal(printed, 'I remember: limit: must be a whole number from 1 to 100\n')
        },
        'a type error does not compile': async () => {
          const wrong = (chat?.code ?? '').replace('memory.run(call)', 'memory.run(7)')
          await assert.rejects(compileAndRun(folder, wrong, service.url, env), /does not compile[\s\S]*not assignable/)
        },
      },
      async close() {
        await api.close()
        await service.close()
      },
    }
  },
}
