/** `keepsake mcp` as a client starts it: a process of its own, with the models that the service comes with. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from './main.js'

const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
const timeout = 120_000
let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-mcp-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const revisions = [
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
  ['2025-11-25', { mode: 'legacy' }],
] as const

/** In a new directory, with no settings at all. */
async function connect(
  versionNegotiation: (typeof revisions)[number][1],
  args: readonly string[],
  command = process.execPath,
) {
  const client = new Client({ name: 'keepsake-tests', version: '1.0.0' }, { versionNegotiation })
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { PATH: process.env.PATH ?? '' },
    cwd: directory,
    stderr: 'pipe',
  })
  let log = ''
  transport.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const problems: Error[] = []
  client.onerror = (error) => void problems.push(error)
  await client.connect(transport, { timeout })
  return { client, problems, log: () => log }
}

async function call(client: Client, name: string, given: Record<string, unknown>) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: given }, { timeout })
  const [first] = content ?? []
  // Its shape is checked by the client against the tool's schema.
  return { isError, text: first?.type === 'text' ? first.text : '', answer: structuredContent as Record<string, never> }
}

describe.each(revisions)('keepsake mcp, asked by a client of revision %s', (revision, negotiation) => {
  it('works with no set-up, keeps what it was told, and writes nothing but messages', { timeout }, async () => {
    const args = [program, 'mcp', '--user', `alice ${revision}`]
    const first = await connect(negotiation, args)
    expect(first.client.getNegotiatedProtocolVersion()).toBe(revision)
    expect((await first.client.listTools()).tools).toHaveLength(6)
    const stored = await call(first.client, 'store_memory', { content: 'Zoe works at Initech in Berlin.' })
    expect(stored.answer).toMatchObject({ status: 'success', memories: [{ action: 'ADD', source: 'mcp' }] })
    const foreign = await call(first.client, 'list_memories', { user_id: 'somebody else' })
    expect(foreign.answer).toMatchObject({ memories: [], total: 0 })
    // Half of a surrogate pair: what no strict reader of JSON lets in over HTTP.
    const broken = await call(first.client, 'store_memory', { content: 'A text with \ud800 in it.' })
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('validation_error') })
    await first.client.close()
    // Anything on standard output that is no message would be one of these.
    expect(first.problems).toEqual([])
    expect(first.log()).toContain('"event":"memory.store"')
    expect(first.log()).not.toContain('Initech')

    // Starting is what takes time, and a client that pins a revision starts it twice.
    const second = await connect({ mode: 'legacy' }, args)
    const { text } = await call(second.client, 'recall_memories', { query: 'Where does Zoe work?' })
    expect(text).toContain('Zoe works at Initech in Berlin.\n</memories>')
    await second.client.close()
  })
})

it('starts with the configuration that docs/mcp.md has for clients', { timeout }, async () => {
  const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')
  const block = /```json\n(.*?)```/s.exec(page)?.[1] ?? ''
  const { command, args } = JSON.parse(
    block
      .replace('/path/to/keepsake', fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''))
      .replace('/home/alice/.keepsake', join(directory, 'documented')),
  ).mcpServers.keepsake
  const { client } = await connect({ mode: 'legacy' }, args, command)
  expect((await call(client, 'list_memories', {})).answer).toMatchObject({ total: 0 })
  await client.close()
})

describe('keepsake mcp', () => {
  /** Until it ends by itself. */
  function run(args: readonly string[], input: string | null, env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [program, 'mcp', ...args], {
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', ...env },
    })
    const [output, errors]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => errors.push(String(chunk)))
    if (input !== null) child.stdin.end(input)
    const ended = new Promise<{ code: number | null; output: string; errors: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, output: output.join(''), errors: errors.join('') })),
    )
    return { child, ended }
  }

  it('ends when its input does, also after lines that are no messages', { timeout }, async () => {
    const { code, output } = await run(['--data-dir', 'own'], 'hello\n{"jsonrpc":\n[]\n').ended
    expect(code).toBe(0)
    for (const line of output.split('\n').filter(Boolean)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })

  it('ends at a message that is larger than a request may be', { timeout }, async () => {
    const { child, ended } = run(['--data-dir', 'own'], null)
    child.stdin.on('error', () => undefined)
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2_000_000)}"}\n`)
    expect(await ended).toMatchObject({ code: 0, output: '' })
  })

  it('says in one line that the directory is in use, and where to connect instead', { timeout }, async () => {
    const { child, ended } = run(['--data-dir', 'shared'], null)
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const { code, output, errors } = await run(['--data-dir', 'shared'], '').ended
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^keepsake: [^\n]*in use by another Keepsake process[^\n]*\/mcp[^\n]*\n$/)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it('says in one line what is wrong with a setting', { timeout }, async () => {
    const { code, errors } = await run([], '', { SERVICE_MCP_USER: 'x'.repeat(257) }).ended
    expect({ code, errors }).toEqual({
      code: 2,
      errors: expect.stringMatching(/^keepsake: SERVICE_MCP_USER: [^\n]+\n$/),
    })
  })

  it.each([[['--user', ' ']], [['--user', 'a\u0000b']], [['--data-dir', '']], [['--port', '1']], [['more']]])(
    'refuses %j',
    async (args) => {
      let errors = ''
      const io = {
        stdin: Readable.from([]),
        stdout: { write: () => true },
        stderr: { write: (text: string) => (errors += text) },
      }
      expect(await main(['mcp', ...args], io)).toBe(2)
      expect(errors).toMatch(/^keepsake mcp: [^\n]+\n/)
    },
  )
})
