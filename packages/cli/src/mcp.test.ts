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
async function connect(versionNegotiation: (typeof revisions)[number][1], args: readonly string[]) {
  const client = new Client({ name: 'keepsake-tests', version: '1.0.0' }, { versionNegotiation })
  const transport = new StdioClientTransport({
    command: process.execPath,
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

// Starting takes seconds, most of them for the models: each process is asked all that it can tell.
describe.each(revisions)('keepsake mcp, asked by a client of revision %s', (revision, negotiation) => {
  it('works with no set-up, and writes nothing but messages', { timeout }, async () => {
    // The newer one where it starts by itself, the other where the documented configuration will look for it.
    const place = revision === '2025-11-25' ? ['--data-dir', join(directory, 'documented')] : []
    const { client, problems, log } = await connect(negotiation, [program, 'mcp', '--user', 'alice', ...place])
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect((await client.listTools()).tools).toHaveLength(6)
    const stored = await call(client, 'store_memory', { content: 'Zoe works at Initech in Berlin.' })
    expect(stored.answer).toMatchObject({ status: 'success', memories: [{ action: 'ADD', source: 'mcp' }] })
    const foreign = await call(client, 'list_memories', { user_id: 'somebody else' })
    expect(foreign.answer).toMatchObject({ memories: [], total: 0 })
    // Half of a surrogate pair: what no strict reader of JSON lets in over HTTP.
    const broken = await call(client, 'store_memory', { content: 'A text with \ud800 in it.' })
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('validation_error') })
    await client.close()
    // Anything on standard output that is no message would be one of these.
    expect(problems).toEqual([])
    expect(log()).toContain('"event":"memory.store"')
    expect(log()).not.toContain('Initech')
  })
})

/** Until it ends by itself. */
function run(
  args: readonly string[],
  input: string | null,
  { command = process.execPath, env = {} }: { command?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const child = spawn(command, args, { cwd: directory, env: { PATH: process.env.PATH ?? '', ...env } })
  const [output, errors]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  if (input !== null) child.stdin.end(input)
  const ended = new Promise<{ code: number | null; output: string; errors: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output: output.join(''), errors: errors.join('') })),
  )
  return { child, ended }
}
const message = (content: object) => `${JSON.stringify({ jsonrpc: '2.0', ...content })}\n`
const runMcp = (args: readonly string[], input: string | null, env = {}) =>
  run([program, 'mcp', ...args], input, { env })

it('keeps what it was told, starts as docs/mcp.md has it for clients, and ends at a signal', { timeout }, async () => {
  const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')
  const block = /```json\n(.*?)```/s.exec(page)?.[1] ?? ''
  const { command, args } = JSON.parse(
    block
      .replace('/path/to/keepsake', fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''))
      .replace('/home/alice/.keepsake', join(directory, 'documented')),
  ).mcpServers.keepsake
  const { child, ended } = run(args, null, { command })
  const clientInfo = { name: 'by hand', version: '1' }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  child.stdin.write(message({ id: 1, method: 'initialize', params: hello }))
  child.stdin.write(message({ method: 'notifications/initialized' }))
  const question = { name: 'recall_memories', arguments: { query: 'Where does Zoe work?' } }
  child.stdin.write(message({ id: 2, method: 'tools/call', params: question }))
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('"id":2') && resolve())
    child.once('close', () => resolve())
  })
  child.kill('SIGTERM')
  const { code, output } = await ended
  expect(code).toBe(0)
  expect(output).toContain('Zoe works at Initech in Berlin.\\n</memories>')
})

describe('keepsake mcp', () => {
  it('ends when its input does, also after lines that are no messages', { timeout }, async () => {
    const { code, output } = await runMcp(['--data-dir', 'own'], 'hello\n{"jsonrpc":\n[]\n').ended
    expect(code).toBe(0)
    for (const line of output.split('\n').filter(Boolean)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })

  it('says in one line that the directory is in use, and ends at a message larger than a request may be', {
    timeout,
  }, async () => {
    const { child, ended } = runMcp(['--data-dir', 'shared'], null)
    child.stdin.on('error', () => undefined)
    child.stdin.write(message({ id: 1, method: 'ping' }))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const { code, output, errors } = await runMcp(['--data-dir', 'shared'], '').ended
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^keepsake: [^\n]*in use by another Keepsake process[^\n]*\/mcp[^\n]*\n$/)
    child.stdin.write(message({ id: 2, method: 'x'.repeat(2_000_000) }))
    const last = await ended
    expect(last.code).toBe(0)
    expect(last.output).not.toContain('"id":2')
  })

  it('says in one line what is wrong with a setting', { timeout }, async () => {
    const { code, errors } = await runMcp([], '', { SERVICE_MCP_USER: 'x'.repeat(257) }).ended
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
