/** Install and uninstall on fixtures of each program’s configuration. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { install, isChange, isInstalled, planInstall, planUninstall, uninstall } from './changes.js'
import { readJsonc } from './jsonc.js'
import { placeIn } from './place.js'
import { hookCommand, type Machine, type Program, programs } from './programs.js'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'keepsake-install-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const machine = (more: Partial<Machine> = {}): Machine => ({
  env: { HOME: home },
  platform: 'linux',
  node: '/usr/bin/node',
  script: '/opt/keepsake/keepsake.mjs',
  hook: '/opt/keepsake/dist/agents/keepsake-hook.cjs',
  ...more,
})
const place = () => placeIn({ HOME: home })
const named = (name: string): Program => {
  const found = programs.find((program) => program.name === name)
  if (found === undefined) throw new Error(name)
  return found
}
const put = (program: Program, on = machine()) => install(program, planInstall(program, on), place())
const take = (program: Program, on = machine()) => uninstall(program, planUninstall(program, on, place()), place())

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}
const read = (path: string) => readFileSync(join(home, path), 'utf8')

/** Every file below the home directory except our own, with its bytes, mode and link. */
function snapshot(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.keepsake'))
  return Object.fromEntries(
    files.map((path) => {
      const kind = lstatSync(join(home, path))
      return [path, kind.isFile() ? `${kind.mode} ${readFileSync(join(home, path), 'base64')}` : `${kind.mode}`]
    }),
  )
}

/** Configurations as their owners have them: comments, trailing commas, tabs, other servers and hooks. */
const fixtures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': {
    '.claude.json':
      '{"numStartups":7,"mcpServers":{"github":{"type":"http","url":"https://example.com/mcp"}},"projects":{}}',
    '.claude/settings.json':
      '{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "say done" }] } // keep\n    ],\n  },\n}\n',
  },
  codex: {
    '.codex/config.toml': 'model = "gpt-5"\n\n[mcp_servers.github]\ncommand = "gh" # no newline at the end',
    '.codex/hooks.json':
      '{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "x" }] }] } }',
  },
  cursor: {
    '.cursor/mcp.json': '{\n\t"mcpServers": {\n\t\t"other": { "command": "x" }\n\t}\n}',
    '.cursor/hooks.json': '{"version":1,"hooks":{"stop":[{"command":"notify"}]}}\n',
  },
  'gemini-cli': {
    '.gemini/settings.json':
      '{\r\n    "theme": "Dracula",\r\n    "hooks": {\r\n        "AfterAgent": []\r\n    }\r\n}\r\n',
  },
  opencode: {
    '.config/opencode/opencode.jsonc':
      '{\n  "$schema": "https://opencode.ai/config.json",\n  /* servers */\n  "mcp": { "jira": { "type": "remote", "url": "https://example.com" } },\n}\n',
  },
  vscode: { '.config/Code/User/mcp.json': '{\n  "inputs": [],\n  "servers": {}\n}\n' },
  'claude-desktop': { '.config/Claude/claude_desktop_config.json': '\uFEFF{ "globalShortcut": "" }' },
}

const cases = programs.map((program) => [program.name, program] as const)

describe.each(cases)('keepsake install %s', (name, program) => {
  const fixture = fixtures[name] ?? {}
  beforeEach(() => {
    for (const [path, content] of Object.entries(fixture)) write(path, content)
  })

  it('adds the server and the hooks, keeps everything else, and is undone byte for byte', () => {
    const before = snapshot()
    const values = Object.keys(fixture)
      .filter((path) => !path.endsWith('.toml'))
      .map((path) => [path, readJsonc(read(path))] as const)
    put(program)
    for (const [path, value] of values) expect(readJsonc(read(path)), path).toMatchObject(withoutLists(value))
    const all = Object.keys(snapshot())
      .filter((path) => lstatSync(join(home, path)).isFile())
      .map(read)
      .join('\n')
    expect(all).toContain('--shared')
    if (program.hasHooks) expect(all).toContain('hook')
    expect(isInstalled(place(), program)).toBe(true)
    take(program)
    expect(snapshot()).toEqual(before)
    expect(isInstalled(place(), program)).toBe(false)
  })

  it('creates missing folders and removes them again', () => {
    rmSync(home, { recursive: true })
    mkdirSync(home)
    put(program)
    expect(planInstall(program, machine()).some(isChange)).toBe(false)
    take(program)
    expect(snapshot()).toEqual({})
  })

  it('changes nothing the second time, and replaces the entries of another version', () => {
    const before = snapshot()
    const old = machine({ script: '/old/keepsake/keepsake.mjs', hook: '/old/keepsake/keepsake.mjs' })
    put(program, old)
    put(program)
    const once = snapshot()
    put(program)
    expect(snapshot()).toEqual(once)
    expect(
      JSON.stringify(Object.values(once).map((each) => Buffer.from(each.split(' ')[1] ?? '', 'base64').toString())),
    ).not.toContain('/old/keepsake')
    take(program)
    expect(snapshot()).toEqual(before)
  })

  it.each([0, 1, 2])('keeps what somebody changed since, and removes only its own entries (%i)', (later) => {
    put(program)
    const [changed = ''] = Object.keys(fixture)
    const theirs = changed.endsWith('.toml') ? '\n[later]\nx = 1\n' : '\n// a later remark\n'
    writeFileSync(join(home, changed), read(changed) + theirs)
    // Installing again must not take our own entries for theirs.
    if (later > 0) put(program)
    if (later > 1) writeFileSync(join(home, changed), `${read(changed)}\n`)
    take(program)
    expect(read(changed)).toContain(theirs.trim())
    expect(read(changed)).not.toMatch(/--shared|keepsake\.mjs/)
    if (!changed.endsWith('.toml')) {
      expect(withoutEmpty(readJsonc(read(changed)))).toEqual(withoutEmpty(readJsonc(fixture[changed] ?? '')))
    }
  })

  it('leaves all files alone if one of them is broken, and says which', () => {
    const [broken = ''] = Object.keys(fixture).reverse()
    write(broken, broken.endsWith('.toml') ? 'mcp_servers = {}\n' : '{ "token": "s3cret" "x"')
    const before = snapshot()
    expect(() => put(program)).toThrow(join(home, broken))
    expect(() => put(program)).not.toThrow(/s3cret/)
    expect(snapshot()).toEqual(before)
  })

  it('writes through a link and keeps it a link', () => {
    const [path = ''] = Object.keys(fixture)
    const real = join(home, 'dotfiles.json')
    writeFileSync(real, read(path))
    rmSync(join(home, path))
    symlinkSync(real, join(home, path))
    chmodSync(real, 0o640)
    const before = snapshot()
    put(program)
    expect(lstatSync(join(home, path)).isSymbolicLink()).toBe(true)
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(readFileSync(real, 'utf8')).not.toBe(fixture[path])
    take(program)
    expect(snapshot()).toEqual(before)
  })
})

/** Lists grow, so that only objects are compared. */
function withoutLists(value: unknown): object {
  if (typeof value !== 'object' || value === null) return {}
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (Array.isArray(inner)) return []
    return [[key, typeof inner === 'object' && inner !== null ? withoutLists(inner) : inner]]
  })
  return Object.fromEntries(entries)
}

/** An empty list or object that install filled and emptied again may be gone. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const)
  return Object.fromEntries(
    entries.filter(([, inner]) => typeof inner !== 'object' || inner === null || Object.keys(inner).length > 0),
  )
}

describe('install', () => {
  it('registers every event of Claude Code next to the hooks that are there', () => {
    write('.claude/settings.json', fixtures['claude-code']?.['.claude/settings.json'] ?? '')
    put(named('claude-code'))
    const { hooks } = readJsonc(read('.claude/settings.json')) as { hooks: Record<string, unknown[]> }
    const ours = { hooks: [{ type: 'command', command: hookCommand(machine()), timeout: 5 }] }
    expect(hooks).toEqual({
      Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }, ours],
      SessionStart: [ours],
      UserPromptSubmit: [ours],
      PreCompact: [ours],
    })
  })

  it('writes TOML that Codex reads', () => {
    put(named('codex'), machine({ node: 'C:\\Program Files\\node.exe' }))
    expect(read('.codex/config.toml')).toContain(
      '[mcp_servers.keepsake]\ncommand = "C:\\\\Program Files\\\\node.exe"\nargs = ["/opt/keepsake/keepsake.mjs", "mcp", "--shared"]\n',
    )
  })

  it('uses the nested servers of OpenCode 2', () => {
    write('.config/opencode/opencode.json', '{ "mcp": { "servers": { "a": { "type": "local", "command": ["a"] } } } }')
    put(named('opencode'))
    expect(readJsonc(read('.config/opencode/opencode.json'))).toMatchObject({
      mcp: { servers: { a: {}, keepsake: { type: 'local' } } },
    })
    take(named('opencode'))
    expect(read('.config/opencode/opencode.json')).not.toContain('keepsake')
  })

  it('writes a plugin for OpenCode that is a valid module', () => {
    put(named('opencode'))
    const file = join(home, 'plugin.mjs')
    writeFileSync(file, read('.config/opencode/plugins/keepsake.js'))
    execFileSync(process.execPath, ['--check', file])
  })

  it('keeps a server of the same name that somebody else configured', () => {
    const own = '{ "mcpServers": { "keepsake": { "url": "https://memory.example.com/mcp" } } }'
    write('.cursor/mcp.json', own)
    put(named('cursor'))
    expect(read('.cursor/mcp.json')).toBe(own)
    take(named('cursor'))
    expect(read('.cursor/mcp.json')).toBe(own)
  })

  it('does not overwrite a file of its own that somebody has changed when it is removed', () => {
    put(named('claude-code'))
    const path = '.claude/skills/keepsake-memory/SKILL.md'
    writeFileSync(join(home, path), `${read(path)}\nMy rule.\n`)
    take(named('claude-code'))
    expect(read(path)).toContain('My rule.')
  })

  it('restores the files that it has written if a later one cannot be written', () => {
    write('.claude.json', '{}')
    const changes = planInstall(named('claude-code'), machine())
    // After planning, another program puts a folder where a file is needed.
    write('.claude/skills/keepsake-memory/SKILL.md/x', '')
    const before = snapshot()
    expect(() => install(named('claude-code'), changes, place())).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
    expect(snapshot()).toEqual(before)
    expect(read('.claude.json')).toBe('{}')
    expect(isInstalled(place(), named('claude-code'))).toBe(false)
  })

  it.each([
    ['a link to nothing', () => symlinkSync(join(home, 'nowhere'), join(home, '.claude.json')), /does not exist/],
    ['a folder', () => mkdirSync(join(home, '.claude.json')), /is not a file/],
    ['another encoding', () => write('.claude.json', Buffer.from([0x7b, 0xff, 0x7d])), /not UTF-8/],
    ['a list', () => write('.claude.json', '[]'), /not an object/],
    ['another shape', () => write('.claude.json', '{"mcpServers": []}'), /mcpServers is not an object/],
    [
      'hooks of another shape',
      () => write('.claude/settings.json', '{"hooks":{"Stop":{}}}'),
      /hooks.Stop is not a list/,
    ],
  ])('refuses %s and changes nothing', (_, prepare, message) => {
    prepare()
    const before = snapshot()
    expect(() => put(named('claude-code'))).toThrow(message)
    expect(snapshot()).toEqual(before)
    expect(existsSync(place().records)).toBe(false)
  })

  it('follows the programs’ own variables and each system’s folders', () => {
    const paths = (name: string, more: Partial<Machine>) =>
      named(name)
        .edits(machine(more))
        .map(({ path }) => path)
    expect(paths('claude-code', { env: { HOME: home, CLAUDE_CONFIG_DIR: '/c' } })).toContain('/c/settings.json')
    expect(paths('codex', { env: { HOME: home, CODEX_HOME: '/x' } })).toContain('/x/config.toml')
    expect(paths('claude-desktop', { platform: 'darwin' })).toEqual([
      join(home, 'Library/Application Support/Claude/claude_desktop_config.json'),
    ])
    expect(paths('vscode', { platform: 'win32', env: { HOME: home, APPDATA: '/roaming' } })[0]).toBe(
      '/roaming/Code/User/mcp.json',
    )
  })
})
