import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { secretSamples } from '../../src/guard/secrets/samples.fixture.js'
import { fakeEmbedder } from '../../src/models/embedder/fake-embedder.js'
import { good, startLlmStub } from '../../src/models/llm/llm-stub.fixture.js'
import { addressOf, call as callTool, connected } from '../mcp/mcp-client.js'
import { isOnPostgres } from '../services/engine.js'
import { startService, type TestService, temporaryDirectory } from '../support/harness.js'

interface WithNote {
  readonly redacted?: readonly { readonly kind: string; readonly count: number }[]
}

const directories: string[] = []
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true })
})

async function newDirectory(): Promise<string> {
  const directory = await temporaryDirectory()
  directories.push(directory)
  return directory
}

/** Every byte of the store: tables, indexes, free pages and logs. */
function bytesIn(directory: string): Buffer {
  return Buffer.concat(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )
}

const github = secretSamples.find(({ kind }) => kind === 'GitHub token')?.secret ?? ''
const stripe = secretSamples.find(({ kind }) => kind === 'Stripe key')?.secret ?? ''

/** Sends every sample through every way to store something, several at once where possible. */
async function storeEverywhere(service: TestService): Promise<void> {
  const user_id = 'ana'
  const { id } = await service.storeOne({ user_id, content: 'Ana lives in Graz.' })
  const together = 10
  for (let from = 0; from < secretSamples.length; from += together) {
    const samples = secretSamples.slice(from, from + together)
    const notes = samples.map(({ text }, index) => `Note ${from + index} about the shop of Ana in Graz: ${text}`)
    const metadata = { list: samples.map(({ text }) => ({ text })), [samples[0]?.text.slice(0, 100) ?? '']: 1 }
    const messages = notes.map((content) => ({ role: 'assistant', content, name: 'Bot' }))
    const headers = { 'idempotency-key': `key-${from}` }
    const answers: WithNote[] = [
      await service.store({ user_id, messages, remember_assistant: true }, { headers }),
      await service.store({ user_id, content: `Fact ${from}: Ana has a dog.`, metadata }),
      await service.ok<WithNote>('PUT', `/memories/${id}`, { body: { content: notes.join('\n\n'), metadata } }),
    ]
    for (const { redacted = [] } of answers) {
      const kinds = redacted.map(({ kind }) => kind)
      expect(kinds).toEqual(expect.arrayContaining(samples.map(({ kind }) => kind)))
    }
  }
}

describe('secrets', () => {
  it.skipIf(isOnPostgres)(
    'are in no byte of the store, whatever their format and however they are sent',
    { timeout: 180_000 },
    async () => {
      const dataDir = await newDirectory()
      // The guard refuses some of these texts. Here it must store them.
      const service = await startService({ dataDir, env: { SERVICE_TRUST_POLICY: 'flag' } })
      await storeEverywhere(service)
      const running = bytesIn(dataDir)
      await service.close()
      const all = Buffer.concat([running, bytesIn(dataDir)])
      expect(secretSamples.filter(({ secret }) => all.includes(secret)).map(({ kind }) => kind)).toEqual([])
      expect(all.includes('[redacted: GitHub token]')).toBe(true)
    },
  )

  it.skipIf(isOnPostgres)('are found in the store by the test above if they are kept', async () => {
    const dataDir = await newDirectory()
    const service = await startService({ dataDir, env: { SERVICE_SECRETS: 'keep', SERVICE_SANITIZE_ENABLED: 'false' } })
    const stored = await service.store({ user_id: 'ana', content: `Ana's token for the shop in Graz is ${github}` })
    expect(stored).not.toHaveProperty('redacted')
    await service.close()
    expect(bytesIn(dataDir).includes(github)).toBe(true)
  })

  it('are named and counted in the response, and the words around them stay', async () => {
    const service = await startService()
    const content = `Ana deploys the shop in Graz with ${github} and ${github.replace('ghp', 'gho')}, and pays with ${stripe}.`
    const stored = await service.store({ user_id: 'ana', content })
    expect(stored).toMatchObject({
      memories: [
        {
          content:
            'Ana deploys the shop in Graz with [redacted: GitHub token] and [redacted: GitHub token], and pays with [redacted: Stripe key].',
        },
      ],
      redacted: [
        { kind: 'GitHub token', count: 2 },
        { kind: 'Stripe key', count: 1 },
      ],
    })
    const { memories } = await service.recall({ user_id: 'ana', query: `Who uses ${github}?` })
    expect(memories).toHaveLength(1)
    const metrics = await service.callRoot<string>('GET', '/metrics')
    expect(metrics.body).toContain('keepsake_secrets_total{kind="GitHub token",outcome="redacted"} 2')
    await service.close()
  })

  it('are named again when the response is repeated', async () => {
    const service = await startService()
    const request = {
      body: { user_id: 'ana', content: `Ana's token for the shop in Graz is ${github}` },
      headers: { 'idempotency-key': 'once' },
    }
    const first = await service.ok<WithNote>('POST', '/store', request)
    expect(first.redacted).toEqual([{ kind: 'GitHub token', count: 1 }])
    expect(await service.ok('POST', '/store', request)).toEqual(first)
    await service.close()
  })

  it('are hidden in metadata because of the name of their field, and in names', async () => {
    const service = await startService()
    const metadata = {
      password: 'swordfish',
      wifi_password: 'sunnyfield22',
      nested: { client_secret: github.slice(4), token: 'short' },
      [github]: 1,
      [`${github}x`]: 2,
    }
    const { id } = await service.storeOne({
      user_id: 'ana',
      content: 'Ana lives in Graz.',
      metadata,
      source: `from ${stripe}`,
    })
    const memory = await service.memory(id)
    expect(memory.metadata).toEqual({
      password: '[redacted: password]',
      wifi_password: 'sunnyfield22',
      nested: { client_secret: '[redacted: secret token]', token: 'short' },
      '[redacted: GitHub token]': 1,
      '[redacted: GitHub token] 2': 2,
    })
    expect(memory.source).toBe('from [redacted: Stripe key]')
    const messages = [{ role: 'user', name: github, content: 'I moved to Vienna in May.' }]
    const named = await service.store({ user_id: 'ana', messages })
    expect(named).toMatchObject({ redacted: [{ kind: 'GitHub token', count: 1 }] })
    expect(JSON.stringify(named)).not.toContain(github)
    await service.close()
  })

  it('are refused in the name of a project', async () => {
    const service = await startService()
    const body = { user_id: 'ana', content: 'Ana lives in Graz.', project: github }
    const error = await service.fails(400, 'POST', '/store', { body })
    expect(error.details).toEqual([
      { path: 'project', message: 'looks like a secret (GitHub token): use another name' },
    ])
    await service.close()
  })

  it('refuses a text with a secret if the operator wants that, and stores nothing', async () => {
    const service = await startService({ env: { SERVICE_SECRETS: 'refuse' } })
    const { id } = await service.storeOne({ user_id: 'ana', content: 'Ana lives in Graz.' })
    const body = {
      user_id: 'ana',
      messages: [
        { role: 'user', content: 'My dog is Rex.' },
        { role: 'user', content: `It is ${github}` },
      ],
      metadata: { a: [stripe] },
    }
    const refused = await service.fails(400, 'POST', '/store', { body })
    expect(refused.details).toEqual([
      { path: 'messages[1].content', message: 'contains a secret (GitHub token)', kinds: ['GitHub token'] },
      { path: 'metadata.a[0]', message: 'contains a secret (Stripe key)', kinds: ['Stripe key'] },
    ])
    await service.fails(400, 'PUT', `/memories/${id}`, { body: { content: `It is ${github}` } })
    expect((await service.list({ user_id: 'ana' })).memories.map(({ content }) => content)).toEqual([
      'Ana lives in Graz.',
    ])
    expect(service.audit('memory.store').at(-1)?.outcome).toBe('rejected')
    expect(service.audit('memory.update').at(-1)?.outcome).toBe('rejected')
    await service.close()
  })

  it('never reach a language model or an embedder', async () => {
    const model = await startLlmStub(good)
    const embedded: string[] = []
    const fake = fakeEmbedder()
    const embed = (texts: readonly string[]) => {
      embedded.push(...texts)
      return fake.embed(texts)
    }
    const embedder = { ...fake, embed }
    const service = await startService({ languageModel: model, embedder, languageModelBudgetMs: 10_000 })
    await service.store({ user_id: 'ana', content: `Ana's token for the shop in Graz is ${github}` })
    await service.recall({ user_id: 'ana', query: `Whose is ${github}?` })
    expect(model.asked.length).toBeGreaterThan(0)
    expect(embedded.length).toBeGreaterThan(0)
    expect(JSON.stringify([model.asked, embedded])).not.toContain(github)
    await service.close()
    await model.close()
  })

  it('are hidden over MCP too', async () => {
    const service = await startService()
    const client = await connected(await addressOf(service), '2025-11-25', null)
    const stored = await callTool(client, 'store_memory', { content: `Ana's token for the shop in Graz is ${github}` })
    expect(stored.answer).toMatchObject({ redacted: [{ kind: 'GitHub token', count: 1 }] })
    expect(stored.text).not.toContain(github)
    await client.close()
    await service.close()
  })
})
