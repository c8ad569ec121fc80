/** What `keepsake install` changes for each program: which files, and how. */
import { join } from 'node:path'
import { JsoncError, readJsonc, withItem, without, withValue } from './jsonc.js'
import { type Environment, homeOf } from './place.js'
import { openCodePlugin, skill } from './texts.js'
import { hasTable, isInline, tomlString, withoutTable, withTable } from './toml.js'

export interface Machine {
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The program that runs scripts, and `keepsake.mjs`. */
  readonly node: string
  readonly script: string
  /** The same for hooks alone, which starts faster. */
  readonly hook: string
  /** Where the running service answers hooks, if it is on this machine and the system has such sockets. */
  readonly socket?: string
}

/** A file and what happens to its text. Both functions return the text unchanged if there is nothing to do. */
export interface FileEdit {
  readonly path: string
  /** Other names of the same file, which is used if it exists. */
  readonly also?: readonly string[]
  readonly what: string
  add(text: string): string
  remove(text: string): string
  /** Ours alone: removed as a whole unless somebody has changed it. */
  readonly isOwn?: boolean
}

export interface Program {
  readonly name: string
  readonly title: string
  readonly hasHooks: boolean
  /** What the user has to do next, or should know. */
  readonly next: string
  edits(machine: Machine): readonly FileEdit[]
}

const server = 'keepsake'

/* ------------------------------------------------------------------ commands */

function mcpArgs({ script }: Machine): string[] {
  return [script, 'mcp', '--shared']
}

/**
 * Asks the running service, and starts Node if nobody listens or there is no curl. `-T -` connects before it reads the event, which is
 * then still there for Node. No `~/.curlrc`, no proxy, and no wait for the server's consent.
 */
export function hookCommand({ node, hook, socket }: Machine, ...options: readonly string[]): string {
  const command = [quoted(node), quoted(hook), 'hook', ...options].join(' ')
  if (socket === undefined) return command
  const query = options.map((option) => option.replace('--', '?')).join('')
  const words = [
    'curl -qsf -m 2 --noproxy "*" -H Expect: -T - --unix-socket',
    quoted(socket),
    `http://keepsake/hook${query}`,
  ]
  return `${words.join(' ')} || ${command}`
}

function quoted(path: string): string {
  return `"${path.replaceAll(/(["$`])/g, '\\$1')}"`
}

/** Written by install, by this or another version. */
function isOwnCommand(command: unknown): boolean {
  if (typeof command !== 'string' || !command.includes('keepsake')) return false
  return command.endsWith('" hook') || command.endsWith('" hook --store-prompts')
}

function isOwnServer(entry: unknown): boolean {
  const { args, command } = fields(entry)
  const words = [command, args].flat()
  return words.includes('mcp') && words.includes('--shared')
}

/* ------------------------------------------------------------------ edits of JSON */

function mcpEdit(path: string, at: readonly string[], entry: (machine: Machine) => object, machine: Machine): FileEdit {
  return {
    path,
    what: 'MCP server',
    add: (text) => withServer(text, at, entry(machine)),
    remove: (text) => withoutServer(text, at),
  }
}

function withServer(text: string, at: readonly string[], entry: object): string {
  const found = inside(readJsonc(text), [...at, server])
  // Somebody’s own entry of that name stays.
  if (found !== undefined && !isOwnServer(found)) return text
  return isSame(found, entry) ? text : withValue(text, [...at, server], entry)
}

function withoutServer(text: string, at: readonly string[]): string {
  if (!isOwnServer(inside(readJsonc(text), [...at, server]))) return text
  return withoutEmpty(without(text, [...at, server]), at)
}

interface HookPlan {
  readonly events: readonly string[]
  readonly command: string
  /** Claude Code’s form has groups of hooks, with or without a matcher; Cursor and VS Code list commands. */
  entry(event: string, command: string): object
}

function hooksEdit(path: string, plan: HookPlan, prepare = (text: string) => text): FileEdit {
  return {
    path,
    what: 'hooks',
    add: (text) => plan.events.reduce((edited, event) => withHook(edited, event, plan), prepare(text)),
    remove: withoutHooks,
  }
}

function withHook(text: string, event: string, { command, entry }: HookPlan): string {
  const wanted = entry(event, command)
  const found = entriesOf(text, event)
  if (found.some((each) => isSame(each, wanted))) return text
  // An entry of another version is replaced.
  const clean = found.some(isOwnEntry) ? withoutEvent(text, event) : text
  return withItem(clean, ['hooks', event], wanted)
}

function withoutHooks(text: string): string {
  const events = Object.keys(fields(inside(readJsonc(text), ['hooks'])))
  return events.reduce(withoutEvent, text)
}

function withoutEvent(text: string, event: string): string {
  let edited = text
  for (let at = entriesOf(text, event).length - 1; at >= 0; at -= 1) {
    if (isOwnEntry(entriesOf(edited, event)[at])) edited = without(edited, ['hooks', event, at])
  }
  return edited === text ? text : withoutEmpty(edited, ['hooks', event])
}

function entriesOf(text: string, event: string): unknown[] {
  const found = inside(readJsonc(text), ['hooks', event])
  if (found !== undefined && !Array.isArray(found)) throw new JsoncError(`hooks.${event} is not a list`)
  return found ?? []
}

/** A group in which somebody has added a command is not ours any more. */
function isOwnEntry(entry: unknown): boolean {
  const { command, hooks } = fields(entry)
  if (Array.isArray(hooks)) return hooks.length > 0 && hooks.every((each) => isOwnCommand(fields(each).command))
  return isOwnCommand(command)
}

/** Removes the list or object at the path if it is empty, and then its parents. */
function withoutEmpty(text: string, path: readonly string[]): string {
  let edited = text
  for (let length = path.length; length > 0; length -= 1) {
    const at = path.slice(0, length)
    const found = inside(readJsonc(edited), at)
    if (typeof found !== 'object' || found === null || Object.keys(found).length > 0) return edited
    edited = without(edited, at)
  }
  return edited
}

function ownFile(path: string, what: string, content: string): FileEdit {
  return { path, what, isOwn: true, add: () => content, remove: (text) => (text === content ? '' : text) }
}

function inside(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (Object.hasOwn(fields(inner), key) ? fields(inner)[key] : undefined),
    value,
  )
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/* ------------------------------------------------------------------ programs */

const claudeGroup = (timeout: number) => (_: string, command: string) => ({
  hooks: [{ type: 'command', command, timeout }],
})

const claudeCode: Program = {
  name: 'claude-code',
  title: 'Claude Code',
  hasHooks: true,
  next: 'Start a new session of Claude Code.',
  edits(machine) {
    const { env } = machine
    const home = env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude')
    const config = env.CLAUDE_CONFIG_DIR ? join(home, '.claude.json') : join(homeOf(env), '.claude.json')
    return [
      mcpEdit(config, ['mcpServers'], stdioServer, machine),
      hooksEdit(join(home, 'settings.json'), {
        events: ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact'],
        command: hookCommand(machine),
        entry: claudeGroup(5),
      }),
      ownFile(join(home, 'skills', 'keepsake-memory', 'SKILL.md'), 'skill', skill),
    ]
  },
}

const codex: Program = {
  name: 'codex',
  title: 'Codex',
  hasHooks: true,
  next: 'Start Codex and trust the new hooks when it asks, or in /hooks.',
  edits(machine) {
    const home = machine.env.CODEX_HOME || join(homeOf(machine.env), '.codex')
    return [
      codexServer(join(home, 'config.toml'), machine),
      hooksEdit(join(home, 'hooks.json'), {
        events: ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact'],
        command: hookCommand(machine),
        entry: claudeGroup(5),
      }),
      ownFile(join(homeOf(machine.env), '.agents', 'skills', 'keepsake-memory', 'SKILL.md'), 'skill', skill),
    ]
  },
}

function codexServer(path: string, machine: Machine): FileEdit {
  const table = `mcp_servers.${server}`
  return {
    path,
    what: 'MCP server',
    add(text) {
      if (isInline(text, 'mcp_servers'))
        throw new JsoncError('mcp_servers is an inline table: write it as [mcp_servers.NAME]')
      if (hasTable(text, table)) return text
      const args = mcpArgs(machine).map(tomlString).join(', ')
      return withTable(text, table, [`command = ${tomlString(machine.node)}`, `args = [${args}]`])
    },
    remove: withoutTable,
  }
}

const cursor: Program = {
  name: 'cursor',
  title: 'Cursor',
  hasHooks: true,
  next: 'Restart Cursor. Versions that take no context before a prompt get memories at the start of a session only.',
  edits(machine) {
    const home = join(homeOf(machine.env), '.cursor')
    return [
      mcpEdit(join(home, 'mcp.json'), ['mcpServers'], stdioServer, machine),
      hooksEdit(
        join(home, 'hooks.json'),
        {
          events: ['sessionStart', 'beforeSubmitPrompt'],
          command: hookCommand(machine),
          entry: (_, command) => ({ command, timeout: 5 }),
        },
        (text) => (inside(readJsonc(text), ['version']) === undefined ? withValue(text, ['version'], 1) : text),
      ),
      ownFile(join(home, 'skills', 'keepsake-memory', 'SKILL.md'), 'skill', skill),
    ]
  },
}

const geminiCli: Program = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  hasHooks: true,
  next: 'Restart Gemini CLI.',
  edits(machine) {
    const path = join(homeOf(machine.env), '.gemini', 'settings.json')
    const servers = mcpEdit(path, ['mcpServers'], ({ node }) => ({ command: node, args: mcpArgs(machine) }), machine)
    const hooks = hooksEdit(path, {
      events: ['SessionStart', 'BeforeAgent', 'AfterAgent'],
      command: hookCommand(machine),
      // Milliseconds, unlike the others.
      entry: (_, command) => ({ hooks: [{ name: 'keepsake', type: 'command', command, timeout: 5000 }] }),
    })
    return [
      {
        path,
        what: 'MCP server and hooks',
        add: (text) => hooks.add(servers.add(text)),
        remove: (text) => servers.remove(hooks.remove(text)),
      },
    ]
  },
}

const openCode: Program = {
  name: 'opencode',
  title: 'OpenCode',
  hasHooks: true,
  next: 'Restart OpenCode.',
  edits(machine) {
    const { env } = machine
    const home = join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'opencode')
    const entry = { type: 'local', command: [machine.node, ...mcpArgs(machine)], enabled: true }
    return [
      {
        path: join(home, 'opencode.json'),
        also: [join(home, 'opencode.jsonc')],
        what: 'MCP server',
        add: (text) => withServer(text, openCodePath(text), entry),
        remove: (text) => withoutServer(withoutServer(text, ['mcp', 'servers']), ['mcp']),
      },
      ownFile(join(home, 'plugins', 'keepsake.js'), 'plugin', openCodePlugin(machine.node, machine.hook)),
    ]
  },
}

/** Version 2 lists servers under `mcp.servers`, version 1 under `mcp`, where a server may be called `servers`. */
function openCodePath(text: string): string[] {
  const nested = inside(readJsonc(text), ['mcp', 'servers'])
  return typeof nested === 'object' && nested !== null && !('type' in nested) ? ['mcp', 'servers'] : ['mcp']
}

const vsCode: Program = {
  name: 'vscode',
  title: 'VS Code',
  hasHooks: true,
  next: 'Reload VS Code. It takes memories at the start of a chat; during a chat the model asks for them.',
  edits(machine) {
    const command = hookCommand(machine, '--store-prompts')
    const events = ['SessionStart', 'UserPromptSubmit']
    const hooks = Object.fromEntries(events.map((event) => [event, [{ type: 'command', command, timeout: 5 }]]))
    const home = machine.env.COPILOT_HOME || join(homeOf(machine.env), '.copilot')
    return [
      mcpEdit(join(appData(machine), 'Code', 'User', 'mcp.json'), ['servers'], stdioServer, machine),
      ownFile(join(home, 'hooks', 'keepsake.json'), 'hooks', `${JSON.stringify({ hooks }, undefined, 2)}\n`),
      ownFile(join(home, 'skills', 'keepsake-memory', 'SKILL.md'), 'skill', skill),
    ]
  },
}

const claudeDesktop: Program = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  hasHooks: false,
  next: 'Restart Claude Desktop. It has no hooks: the model asks for memories itself.',
  edits(machine) {
    const path = join(appData(machine), 'Claude', 'claude_desktop_config.json')
    const entry = ({ node }: Machine) => ({ command: node, args: mcpArgs(machine) })
    return [mcpEdit(path, ['mcpServers'], entry, machine)]
  },
}

function stdioServer(machine: Machine): object {
  return { type: 'stdio', command: machine.node, args: mcpArgs(machine) }
}

function appData({ env, platform }: Machine): string {
  const home = homeOf(env)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

export const programs: readonly Program[] = [claudeCode, codex, cursor, geminiCli, openCode, vsCode, claudeDesktop]
