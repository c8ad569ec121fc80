import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasSocket, openHookSocket } from './hook-socket.js'
import { type Place, placeIn } from './place.js'
import { hookCommand, type Machine } from './programs.js'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/', prompt: 'Where do I work today?' }

let home: string
let place: Place
let opened: Server[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'keepsake-socket-'))
  place = placeIn({ HOME: home })
  opened = []
})
afterEach(() => {
  for (const server of opened) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(home, { recursive: true, force: true })
})

/** A service that knows one thing, and the settings that lead to it. */
async function knowing(content: string): Promise<{ query: string; filter: unknown }[]> {
  const asked: { query: string; filter: unknown }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push(JSON.parse(Buffer.concat(chunks).toString()))
    const memory = { content, score: 0.9, created_at: '2026-01-02T00:00:00Z', trust_score: 1 }
    response.end(JSON.stringify({ memories: [memory] }))
  })
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  mkdirSync(place.records, { recursive: true })
  writeFileSync(join(place.records, 'claude-code.json'), '{}')
  const settings = { user: 'ana', dataDir: join(home, 'data'), url: `http://127.0.0.1:${port}` }
  writeFileSync(place.settings, JSON.stringify(settings))
  return asked
}

async function open(env = {}): Promise<void> {
  const server = await openHookSocket(place, { HOME: home, ...env })
  if (server) opened.push(server)
}

/** A program in place of Node that says what it was given. */
function echo(): Machine {
  const node = join(home, 'node')
  writeFileSync(node, '#!/bin/sh\necho "node was started: $(cat)"\n')
  chmodSync(node, 0o755)
  return {
    env: {},
    platform: 'linux',
    node,
    script: 'unused',
    hook: join(home, 'it is "here".cjs'),
    socket: place.socket,
  }
}

function run(
  command: string,
  input: string,
  env: Record<string, string> = {},
): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      env: { PATH: process.env.PATH, HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.once('close', (code) => resolve({ code, output }))
    // A program may end before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

describe.skipIf(process.platform === 'win32')('the socket for hooks', () => {
  it.skipIf(!hasCurl)('answers the registered command without starting Node', async () => {
    const asked = await knowing('You work at Globex.')
    await open()
    // A proxy or a file of curl's settings must not matter.
    writeFileSync(join(home, '.curlrc'), 'output = "/dev/null"\n')
    const env = { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' }
    const { code, output } = await run(hookCommand(echo()), JSON.stringify(event), env)
    expect(code).toBe(0)
    expect(JSON.parse(output).hookSpecificOutput.additionalContext).toContain('You work at Globex.')
    expect(asked.map(({ query }) => query)).toEqual([event.prompt])
  })

  it('leaves the whole event to Node if nobody listens', async () => {
    const long = JSON.stringify({ ...event, prompt: 'x'.repeat(300_000) })
    expect(await run(hookCommand(echo()), long)).toEqual({ code: 0, output: `node was started: ${long}\n` })
    // A socket that a killed service left behind.
    mkdirSync(place.directory)
    await open()
    renameSync(place.socket, `${place.socket}.kept`)
    opened.pop()?.close()
    renameSync(`${place.socket}.kept`, place.socket)
    expect(await run(hookCommand(echo()), '{}')).toEqual({ code: 0, output: 'node was started: {}\n' })
    expect(await run(hookCommand(echo()), '{}', { PATH: '/nowhere' })).toMatchObject({ code: 0 })
  })

  it.skipIf(!hasCurl)('says nothing, and lets the agent go on, whatever it is given', async () => {
    await knowing('You work at Globex.')
    await open()
    for (const input of ['', 'null', '{', '{"hook_event_name":7}', '\u0000', 'x'.repeat(17 * 1024 * 1024)]) {
      const { output } = await run(hookCommand(echo()), input)
      expect(output, input.slice(0, 20)).not.toContain('Globex')
      if (input.length < 100) expect(output, input).toBe('')
    }
    const { output } = await run(hookCommand(echo()), JSON.stringify(event))
    expect(output).toContain('Globex')
  })

  it('belongs to its user alone, and replaces one that was left behind', async () => {
    await knowing('You work at Globex.')
    await open()
    await open()
    expect(statSync(place.socket).mode & 0o777).toBe(0o600)
  })

  it.skipIf(!hasCurl)(
    'does not take the folder of the session that started the service for every session',
    async () => {
      const asked = await knowing('You work at Globex.')
      await open({ CLAUDE_PROJECT_DIR: '/somewhere/else' })
      const { cwd: _, ...anywhere } = event
      await run(hookCommand(echo()), JSON.stringify(anywhere))
      expect(asked.map(({ filter }) => filter)).toEqual([{ project: null }])
    },
  )
})

it('has no socket on Windows, or with a path that is too long', () => {
  expect(hasSocket(place, 'win32')).toBe(false)
  expect(hasSocket({ ...place, socket: `/${'x'.repeat(200)}` }, 'linux')).toBe(false)
  expect(hookCommand({ env: {}, platform: 'win32', node: 'node', script: 's', hook: 'h' })).toBe('"node" "h" hook')
})
