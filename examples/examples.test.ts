/** Runs every example as a reader would: the real service with the real model, each example a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compose, type Service } from '../packages/server/src/boot/compose.js'
import type { Overrides } from '../packages/server/src/boot/overrides.js'
import { loadConfig } from '../packages/server/src/config/config.js'
import { fakeEmbedder } from '../packages/server/src/models/embedder/fake-embedder.js'

const directory = fileURLToPath(new URL('.', import.meta.url))
const masterKey = 'master-key-of-the-examples-0123456789abcdef'

interface Printed {
  readonly code: number | string
  readonly output: string
  readonly errors: string
}

function runExample(name: string, env: Readonly<Record<string, string>>): Promise<Printed> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 120_000 }
    execFile(process.execPath, [join(directory, name)], options, (error, output, errors) => {
      resolve({ code: error === null ? 0 : (error.code ?? 'killed'), output, errors })
    })
  })
}

describe('the examples', () => {
  const opened: { readonly service: Service; readonly dataDir: string }[] = []
  let url = ''

  /** The base URL of a service on a free port. */
  async function open(settings: Readonly<Record<string, string>>, overrides: Overrides = {}): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-examples-'))
    const own = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: '0', SERVICE_LOG_LEVEL: 'silent' }
    const { config } = loadConfig({ ...own, ...settings })
    const service = await compose(config, { writeAuditLine: () => undefined, ...overrides })
    opened.push({ service, dataDir })
    return `http://127.0.0.1:${(await service.listen()).port}/api/v1`
  }

  beforeAll(async () => {
    url = await open({})
  })
  afterAll(async () => {
    for (const { service, dataDir } of opened) {
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  /** What an example prints when all goes well. */
  async function printed(name: string, env: Readonly<Record<string, string>> = { KEEPSAKE_URL: url }): Promise<string> {
    const { code, output, errors } = await runExample(name, env)
    expect({ code, errors }, output).toEqual({ code: 0, errors: '' })
    return output
  }

  it('remember-and-recall stores each fact once and answers with the one that was asked for', async () => {
    const output = await printed('remember-and-recall.mjs')
    expect(output).toContain('Stored 3 memories:')
    expect(output).toContain('ADD  John works at Acme Corp.  (about: John, Acme Corp)')
    expect(output).toContain('Stored again: NOOP, already known.')
    expect(output).toMatch(/Where does my sister live\?\n {2}0\.\d\d {2}My sister Clara lives in Lyon\./)
    expect(output).toMatch(/language model:\n\[\d{4}-\d\d-\d\d\] My sister Clara lives in Lyon\./)
  })

  it('changed-fact answers with the new fact today and with the old one for the past', async () => {
    const output = await printed('changed-fact.mjs')
    expect(output).toContain('UPDATE, it replaces 1 older memory.')
    expect(output).toMatch(/today: +Mara works at Globex now\.\n/)
    expect(output).toMatch(/in 2024: +Mara works at Acme Corp\.\n/)
    expect(output).toMatch(/in early 2024: +nothing known yet\n/)
    expect(output).toContain('Mara works at Acme Corp.  (until 2025-09-01)')
    expect(output).toContain('Contradiction (applied): mara works at: "acme" before, "globex" now.')
    expect(output).toContain('After the revert (reverted): Mara works at Acme Corp.\n')
  })

  it('chat-memory puts what was said, by whom and when, in front of a prompt', async () => {
    const output = await printed('chat-memory.mjs')
    expect(output).toContain('4 messages became 4 memories.')
    expect(output).toContain('most relevant first:\n[2026-05-11] Priya: I am allergic to peanuts')
    expect(output).toContain('Priya asks: What should I eat')
  })

  it('leave nothing behind', async () => {
    await printed('changed-fact.mjs')
    const response = await fetch(`${url}/memories?include_expired=true`)
    expect(await response.json()).toMatchObject({ memories: [], total: 0 })
  })

  it('work with a key where authentication is on, and say what is wrong without one', async () => {
    const guarded = await open({ SERVICE_MASTER_KEY: masterKey }, { openEmbedder: async () => fakeEmbedder() })
    const refused = await runExample('changed-fact.mjs', { KEEPSAKE_URL: guarded })
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('401 Send an API key') })

    const created = await fetch(`${guarded}/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${masterKey}` },
      body: JSON.stringify({ user_id: 'reader', name: 'examples' }),
    })
    const { key } = (await created.json()) as { key: string }
    const root = guarded.replace('/api/v1', '')
    const output = await printed('changed-fact.mjs', { KEEPSAKE_URL: root, KEEPSAKE_API_KEY: key })
    expect(output).toContain('UPDATE, it replaces 1 older memory.')
    const old = await runExample('changed-fact.mjs', { KEEPSAKE_URL: guarded, KEEPSAKE_KEY: key })
    expect(old).toMatchObject({ code: 0, errors: expect.stringContaining('old name of KEEPSAKE_API_KEY') })
  })

  it('say how to start a service when none answers', async () => {
    // Port 9 is reserved for discarding, and nothing listens on it.
    const { code, errors } = await runExample('chat-memory.mjs', { KEEPSAKE_URL: 'http://127.0.0.1:9/api/v1' })
    expect(code).toBe(1)
    expect(errors).toBe(
      'No service answers at http://127.0.0.1:9/api/v1. Start one with "npm start", or set KEEPSAKE_URL.\n',
    )
  })

  it('are all tested here', async () => {
    const programs = (await readdir(directory)).filter((name) => name.endsWith('.mjs'))
    expect(programs.sort()).toEqual(['changed-fact.mjs', 'chat-memory.mjs', 'keepsake.mjs', 'remember-and-recall.mjs'])
  })
})
