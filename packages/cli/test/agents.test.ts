/** Agents with a memory, end to end: install in a home directory, then run the hooks that it registered, against a real service. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Keepsake } from '@keepsake/client'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { masterKey } from '../../server/test/support/harness.js'
import { keepsake } from './in-process.js'

let service: RealService
let home = ''
let key = ''
let client: Keepsake
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'keepsake-agents-'))
  service = await startRealService({ auth: true })
  const master = new Keepsake({ url: service.url, apiKey: masterKey })
  key = (await master.keys.create({ userId: 'dana', name: 'agents' })).key
  client = new Keepsake({ url: service.url, apiKey: key })
  for (const name of ['shop', 'blog']) mkdirSync(join(home, name, '.git'), { recursive: true })
})
afterAll(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

const typed = (more: Readonly<Record<string, string>> = {}) => ({ env: { HOME: home, ...more } })

/** Runs what is registered in settings.json, as Claude Code does: by a shell, with the event on standard input. */
async function hook(
  event: Readonly<Record<string, unknown>>,
  at = home,
): Promise<{ code: number | null; output: string; ms: number }> {
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
  const { command } = hooks[String(event.hook_event_name)][0].hooks[0]
  return run(command, JSON.stringify({ session_id: 's1', cwd: join(home, 'shop'), ...event }), at)
}

function run(
  command: string,
  input: string,
  userHome: string,
): Promise<{ code: number | null; output: string; ms: number }> {
  const start = performance.now()
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      env: { PATH: process.env.PATH, HOME: userHome },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.once('close', (code) => resolve({ code, output, ms: performance.now() - start }))
    child.stdin.end(input)
  })
}

/** The same in this process, which is faster. */
async function answer(event: Readonly<Record<string, unknown>>): Promise<string> {
  const input = JSON.stringify({ session_id: 's1', cwd: join(home, 'shop'), ...event })
  const { code, output } = await keepsake(['hook'], { ...typed(), input })
  expect(code).toBe(0)
  return output
}

const context = (output: string): string =>
  output === '' ? '' : JSON.parse(output).hookSpecificOutput.additionalContext

/** The hook does not wait for the store, so the test does. */
async function stored(count: number): Promise<{ content: string; project: string | null }[]> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const found = await client.list().toArray()
    if (found.length >= count) return found.map(({ content, project }) => ({ content, project }))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`fewer than ${count} memories were stored`)
}

function transcript(name: string, ...prompts: string[]): string {
  const path = join(home, `${name}.jsonl`)
  const lines = prompts.map((content, at) =>
    JSON.stringify({ type: 'user', uuid: `${name}-${at}`, message: { role: 'user', content } }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

describe('Claude Code with a memory', () => {
  it('recalls in the next session what was said in this one', async () => {
    const args = ['install', 'claude-code', '--url', service.url, '--user', 'dana']
    expect(await keepsake(args, typed({ KEEPSAKE_API_KEY: key }))).toMatchObject({ code: 0 })
    expect(statSync(join(home, '.keepsake', 'agents.json')).mode & 0o777).toBe(0o600)

    const said = `Please fix the parser. The staging database is called orders_stage. I prefer short answers. <private>My PIN is 4711.</private>
The token is sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCD. What is the time?`
    const ended = await hook({ hook_event_name: 'Stop', transcript_path: transcript('one', said) })
    expect(ended).toMatchObject({ code: 0, output: '' })
    const memories = await stored(3)
    expect(memories.map(({ content }) => content).sort()).toEqual([
      'I prefer short answers.',
      'The staging database is called orders_stage.',
      expect.stringMatching(/^The token is \[redacted: /),
    ])
    const shop = memories.find(({ content }) => content.includes('staging'))?.project
    expect(shop).toMatch(/^shop-/)
    expect(memories.find(({ content }) => content.includes('short'))?.project).toBeNull()

    const asked = {
      hook_event_name: 'UserPromptSubmit',
      session_id: 's2',
      prompt: 'What is the staging database called?',
    }
    const { code, output } = await hook(asked)
    expect(code).toBe(0)
    expect(context(output)).toMatch(
      /^<keepsake-memory>\n.*\n\[[-\d]{10}\] The staging database is called orders_stage\.\n[\s\S]*<\/keepsake-memory>$/,
    )

    // Another project knows only what belongs to the user.
    expect(await answer({ ...asked, cwd: join(home, 'blog') })).toBe('')
    const started = { hook_event_name: 'SessionStart', source: 'startup', cwd: join(home, 'blog') }
    const shown = context(await answer(started))
    expect(shown).toContain('I prefer short answers.')
    expect(shown).not.toContain('orders_stage')
  })

  it('never stores what it injected, and stores a turn once', async () => {
    const before = await stored(1)
    const output = await answer({ hook_event_name: 'UserPromptSubmit', prompt: 'What is the staging database called?' })
    const again = transcript('two', `${context(output)}\nWe release on Tuesdays.`)
    const compacting = { hook_event_name: 'PreCompact', transcript_path: again, trigger: 'auto' }
    await Promise.all([hook({ hook_event_name: 'Stop', transcript_path: again }), hook(compacting)])
    const memories = await stored(before.length + 1)
    const marker = transcript('three', 'The marker is blue.')
    await hook({ hook_event_name: 'Stop', transcript_path: marker })
    const after = await stored(memories.length + 1)
    expect(after.map(({ content }) => content).filter((content) => content.includes('Tuesdays'))).toHaveLength(1)
    expect(after).toHaveLength(before.length + 2)
    expect(after.filter(({ content }) => content.includes('orders_stage'))).toHaveLength(1)
  })

  it('says nothing when nothing is relevant', async () => {
    for (const prompt of [
      'Explain the borrow checker in Rust',
      'yes',
      '/compact',
      '',
      '<private>What is the staging database called?</private>',
    ]) {
      const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: join(home, 'shop'), prompt }
      const outcome = await keepsake(['hook'], { ...typed(), input: JSON.stringify(event) })
      expect(outcome, prompt).toEqual({ code: 0, output: '', errors: '' })
    }
  })

  it('succeeds without output whatever it is given', async () => {
    const inputs = [
      '',
      'null',
      '[]',
      '{',
      '{"hook_event_name":7}',
      '{"hook_event_name":"Stop","transcript_path":"/nowhere"}',
      '\u0000',
    ]
    for (const input of inputs)
      expect(await keepsake(['hook'], { ...typed(), input }), input).toEqual({ code: 0, output: '', errors: '' })
    const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
    expect(await run(hooks.Stop[0].hooks[0].command, '{', home)).toMatchObject({ code: 0, output: '' })
  })
})

describe('a hook whose service fails', () => {
  const asked = JSON.stringify({
    hook_event_name: 'UserPromptSubmit',
    session_id: 's',
    cwd: '/',
    prompt: 'Where do I work today?',
  })

  async function withService(
    listener: Parameters<typeof createServer>[1],
    check: (command: string, home: string) => Promise<void>,
  ) {
    const other = mkdtempSync(join(tmpdir(), 'keepsake-down-'))
    const server: Server = createServer(listener ?? (() => undefined))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const args = ['install', 'claude-code', '--url', `http://127.0.0.1:${port}`]
      expect((await keepsake(args, { env: { HOME: other } })).code).toBe(0)
      const { hooks } = JSON.parse(readFileSync(join(other, '.claude', 'settings.json'), 'utf8'))
      await check(hooks.UserPromptSubmit[0].hooks[0].command, other)
    } finally {
      server.closeAllConnections()
      server.close()
      rmSync(other, { recursive: true, force: true })
    }
  }

  it('gives up on a service that never answers', async () => {
    await withService(undefined, async (command, at) => {
      const bare = await run(`"${process.execPath}" -e 0`, '', at)
      const { code, output, ms } = await run(command, asked, at)
      expect({ code, output }).toEqual({ code: 0, output: '' })
      expect(ms - bare.ms).toBeLessThan(3000)
    })
  })

  it('ignores an answer that is broken, refused or endless', async () => {
    let calls = 0
    const answers = ['<html>', '{"memories":7}', '{"memories":[null,{"content":1}]}', '{"error":{}}']
    await withService(
      (_, response) => {
        calls += 1
        response.writeHead(calls === 4 ? 401 : 200)
        response.end(answers[calls - 1])
      },
      async (_command, at) => {
        for (const _ of answers)
          expect(await keepsake(['hook'], { env: { HOME: at }, input: asked })).toMatchObject({ code: 0, output: '' })
        expect(calls).toBe(answers.length)
      },
    )
  })
})

describe('other programs', () => {
  const question = 'What is the staging database called?'

  it('get memories in their own form: Cursor and Gemini CLI', async () => {
    const cwd = join(home, 'shop')
    const inForm = async (event: object) => {
      const outcome = await keepsake(['hook'], { ...typed(), input: JSON.stringify({ session_id: 's', ...event }) })
      return outcome.output === '' ? {} : JSON.parse(outcome.output)
    }
    const block = expect.stringContaining('orders_stage')
    expect(await inForm({ hook_event_name: 'sessionStart', workspace_roots: [cwd] })).toEqual({
      additional_context: block,
    })
    expect(await inForm({ hook_event_name: 'BeforeAgent', cwd, prompt: question })).toEqual({
      hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: block },
    })
    // VS Code writes its names in another way.
    expect(await inForm({ hookEventName: 'SessionStart', sessionId: 's', cwd })).toMatchObject({
      hookSpecificOutput: { additionalContext: block },
    })
  })

  it('store with the prompt where there is no transcript to read: Cursor', async () => {
    const { length } = await stored(1)
    const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
    const event = { hook_event_name: 'beforeSubmitPrompt', conversation_id: 'c', workspace_roots: [join(home, 'shop')] }
    const input = JSON.stringify({ ...event, prompt: `${question} The cache is called otter.` })
    const { output } = await run(hooks.Stop[0].hooks[0].command, input, home)
    expect(JSON.parse(output)).toEqual({ continue: true, additional_context: expect.stringContaining('orders_stage') })
    const memories = await stored(length + 1)
    expect(memories.map(({ content }) => content)).toContain('The cache is called otter.')
  })

  it('run the plugin that install writes: OpenCode', async () => {
    expect(await keepsake(['install', 'opencode'], typed())).toMatchObject({ code: 0 })
    const copy = join(home, 'plugin.mjs')
    copyFileSync(join(home, '.config', 'opencode', 'plugins', 'keepsake.js'), copy)
    const before = process.env.KEEPSAKE_HOME
    process.env.KEEPSAKE_HOME = join(home, '.keepsake')
    try {
      const { Keepsake: plugin } = await import(/* @vite-ignore */ pathToFileURL(copy).href)
      const hooks = await plugin({ directory: home, worktree: join(home, 'shop') })
      const parts: object[] = [{ type: 'text', text: `${question} The queue is called stoat.` }]
      await hooks['chat.message']({ sessionID: 'ses_1' }, { message: { id: 'msg_1' }, parts })
      expect(parts).toEqual([
        expect.anything(),
        expect.objectContaining({ sessionID: 'ses_1', messageID: 'msg_1', type: 'text', synthetic: true }),
      ])
      expect(JSON.stringify(parts[1])).toContain('orders_stage')
      const { length } = await stored(1)
      await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } })
      expect((await stored(length + 1)).map(({ content }) => content)).toContain('The queue is called stoat.')
    } finally {
      if (before === undefined) delete process.env.KEEPSAKE_HOME
      else process.env.KEEPSAKE_HOME = before
      await keepsake(['uninstall', 'opencode'], typed())
    }
  })
})

describe('keepsake mcp --shared', () => {
  it.each([
    ['2026-07-28', { mode: { pin: '2026-07-28' } }],
    ['2025-11-25', { mode: 'legacy' }],
  ] as const)(
    'connects a client of revision %s to the shared service, within its project',
    async (revision, versionNegotiation) => {
      const { mcpServers } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))
      const mcp = new Client({ name: 'keepsake-tests', version: '1.0.0' }, { versionNegotiation })
      const env = { PATH: process.env.PATH ?? '', HOME: home }
      await mcp.connect(
        new StdioClientTransport({ ...mcpServers.keepsake, env, cwd: join(home, 'shop'), stderr: 'ignore' }),
      )
      try {
        expect(mcp.getNegotiatedProtocolVersion()).toBe(revision)
        expect((await mcp.listTools()).tools.length).toBeGreaterThan(5)
        const call = async (name: string, given: object) =>
          (await mcp.callTool({ name, arguments: { ...given } })).structuredContent as never
        const fact = `The ${revision} build runs on heron.`
        expect(await call('store_memory', { content: fact })).toMatchObject({
          memories: [{ project: expect.stringMatching(/^shop-/) }],
        })
        expect(JSON.stringify(await call('recall_memories', { query: 'Where does the build run?' }))).toContain(fact)
      } finally {
        await mcp.close()
      }
    },
  )
})

describe('keepsake uninstall', () => {
  it('ends the memory of sessions that are still open, and leaves nothing behind', async () => {
    const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: join(home, 'shop') }
    const input = JSON.stringify({ ...event, prompt: 'What is the staging database called?' })
    expect((await keepsake(['hook'], { ...typed(), input })).output).toContain('orders_stage')
    expect((await keepsake(['install', 'status'], typed())).output).toMatch(
      /^claude-code +installed\ncodex +not installed\n/,
    )
    expect((await keepsake(['uninstall', 'claude-code', '--dry-run'], typed())).output).toContain('would delete')
    expect(await keepsake(['uninstall', 'claude-code'], typed())).toMatchObject({ code: 0 })
    expect(await keepsake(['hook'], { ...typed(), input })).toEqual({ code: 0, output: '', errors: '' })
    expect((await keepsake(['install', 'status'], typed())).output).toMatch(/^claude-code +not installed\n/)
  })

  it('is refused for an unknown program, and install for an unencrypted address elsewhere', async () => {
    expect(await keepsake(['uninstall', 'emacs'], typed())).toMatchObject({ code: 2 })
    expect(await keepsake(['install'], typed())).toMatchObject({ code: 2 })
    const remote = ['install', 'cursor', '--url', 'http://memory.example.com']
    expect(await keepsake(remote, typed())).toMatchObject({ code: 2, errors: expect.stringContaining('must be https') })
  })
})
