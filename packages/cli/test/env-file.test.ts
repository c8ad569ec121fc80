/** A folder may be hostile: every command but `serve` runs in one whose `.env` would redirect it, and uses none of it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commands } from '../src/commands.js'

const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
const timeout = 120_000

/** Enough for each command to reach its work, not only its usage message. `mcp` has a test of its own that stores. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  store: ['The ferry leaves at noon', '--user', 'ana'],
  recall: ['ferry', '--user', 'ana'],
  profile: ['ana'],
  list: ['--user', 'ana'],
  release: ['mem_1'],
  forget: ['mem_1', '--yes'],
  'entities list': ['--user', 'ana'],
  'entities show': ['ent_1', '--user', 'ana'],
  'spaces list': ['--user', 'ana'],
  'spaces create': ['Team', '--user', 'ana'],
  'spaces members': ['spc_1', '--user', 'ana'],
  'spaces grant': ['spc_1', 'ben', 'reader', '--user', 'ana'],
  'spaces revoke': ['spc_1', 'ben', '--user', 'ana'],
  'spaces delete': ['spc_1', '--yes', '--user', 'ana'],
  'items put': ['settings', 'theme', 'dark', '--user', 'ana'],
  'items get': ['settings', 'theme', '--user', 'ana'],
  'items list': ['--user', 'ana'],
  'items search': ['dark', '--user', 'ana'],
  'items delete': ['settings', 'theme', '--yes', '--user', 'ana'],
  'keys create': ['--user', 'ana'],
  'keys list': [],
  'keys revoke': ['key_1'],
  'grants list': ['--user', 'ana'],
  'grants revoke': ['grt_1'],
  doctor: [],
  demo: ['--help'],
  mcp: [],
  install: ['claude-code'],
  'install status': [],
  uninstall: ['claude-code'],
  hook: [],
  import: ['notes.md', '--user', 'ana'],
  backup: ['copy.db'],
  export: ['all.jsonl', '--user', 'ana'],
  'migrate sqlite-to-postgres': [],
  vacuum: [],
  'audit verify': ['audit.log'],
  bench: ['--help'],
  completions: ['bash'],
}

interface Recorder {
  readonly url: string
  readonly keys: (string | undefined)[]
  readonly server: Server
}

/** Answers every request with a 404 and notes the key that came with it. */
async function recorder(): Promise<Recorder> {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization ?? (request.headers['x-api-key'] as string | undefined))
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: 'not_found', message: 'not found' } }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // A listening TCP server has this kind of address.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, server }
}

let folder: string
let home: string
let collector: Recorder
let service: Recorder
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-hostile-'))
  home = join(folder, 'home')
  for (const path of ['data', 'home']) mkdirSync(join(folder, path))
  ;[collector, service] = [await recorder(), await recorder()]
  const hostile = [
    `KEEPSAKE_URL=${collector.url}`,
    'KEEPSAKE_API_KEY=ksk_from_the_env_file',
    'KEEPSAKE_MASTER_KEY=master-from-the-env-file-0123456789abcdef',
    'SERVICE_MASTER_KEY=master-from-the-env-file-0123456789abcdef',
    `SERVICE_DATA_DIR=${join(folder, 'chosen-by-env')}`,
    `SERVICE_AUDIT_LOG=${join(folder, 'chosen-by-env.log')}`,
    `SERVICE_EMBEDDING_BASE_URL=${collector.url}/v1`,
    'SERVICE_EMBEDDING_MODEL=any',
    `SERVICE_LLM_BASE_URL=${collector.url}/v1`,
    'SERVICE_LLM_MODEL=any',
    `NODE_OPTIONS=--require=${join(folder, 'chosen-by-env.cjs')}`,
  ].join('\n')
  for (const path of ['.env', 'data/.env', 'home/.env']) writeFileSync(join(folder, path), hostile)
  writeFileSync(join(folder, 'notes.md'), '# Ferry\n\nThe ferry leaves at noon.\n')
})
afterEach(() => {
  for (const { server } of [collector, service]) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
})

async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: join(home, 'data'), ...env },
  })
  const said: string[] = []
  child.stdout.on('data', (chunk) => said.push(String(chunk)))
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  child.stdin.end()
  await new Promise((resolve) => child.once('close', resolve))
  return said.join('')
}

function expectNothingUsed(said: string): void {
  expect.soft(collector.keys).toEqual([])
  expect.soft(readdirSync(folder).filter((name) => name.startsWith('chosen-by-env'))).toEqual([])
  expect.soft(said).not.toContain('chosen-by-env')
  expect.soft(said).not.toContain('Unknown option')
  expect.soft(said).not.toContain(new URL(collector.url).port)
  expect.soft(service.keys.filter((key) => key !== undefined)).toEqual([])
}

const others = commands.map(({ name }) => name).filter((name) => name !== 'serve')

it('knows arguments for every command', () => {
  expect(Object.keys(argumentsOf).sort()).toEqual([...others].sort())
})

it.each(others)('keepsake %s uses nothing of it', { timeout }, async (name) => {
  expectNothingUsed(await runHere([...name.split(' '), ...(argumentsOf[name] ?? [])], { KEEPSAKE_URL: service.url }))
})

it('does not send requests to the address that it names', { timeout }, async () => {
  expectNothingUsed(await runHere(['list', '--user', 'ana'], {}))
})

it('keeps the store of backup and vacuum where it was', { timeout }, async () => {
  for (const args of [['vacuum'], ['backup', 'copy.db']]) {
    const said = await runHere(args, {})
    expectNothingUsed(said)
    expect(said).toContain(join('data', 'keepsake.db'))
  }
  expect(existsSync(join(folder, 'copy.db'))).toBe(false)
})
