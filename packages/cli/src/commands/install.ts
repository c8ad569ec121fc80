import { parseArgs } from 'node:util'
import {
  type Change,
  install as carryOut,
  isChange,
  isInstalled,
  planInstall,
  planUninstall,
  uninstall as takeBack,
} from '../agents/changes.js'
import { machineOf } from '../agents/machine.js'
import { placeIn, serviceOf, settingsIn } from '../agents/place.js'
import { type Program, programs } from '../agents/programs.js'
import { send } from '../agents/request.js'
import { saveSettings, settingsFor } from '../agents/settings.js'
import { startService } from '../agents/start.js'
import { stopService } from '../agents/stop.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { jsonOption } from '../connection.js'
import { columns, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const names = programs.map(({ name }) => name)

const dryRun = {
  'dry-run': { type: 'boolean', help: 'show what would change, and change nothing' },
} as const satisfies Options

const installOptions = {
  ...dryRun,
  url: { type: 'string', value: 'URL', help: 'a service that already runs; by default agents start their own' },
  user: { type: 'string', value: 'ID', help: 'whose memories; default KEEPSAKE_USER, or your account’s name' },
  'data-dir': { type: 'string', value: 'DIRECTORY', help: 'where memories are kept; default ~/.keepsake/data' },
  ...jsonOption,
} as const satisfies Options

export const install: Command = {
  name: 'install',
  summary: 'give agents a memory: MCP server and hooks',
  usage: 'PROGRAM…',
  operands: names,
  options: installOptions,
  help: `Adds the MCP server, and where the program has them, hooks that recall before a prompt and store after a turn, to the configuration
of: ${names.join(', ')}. Everything else in these files stays as it is.

The programs share one service on this machine, which starts when it is needed. With --url they use another one; its key is read from
KEEPSAKE_API_KEY and kept in ~/.keepsake/agents.json, which only you can read. docs/agents.md has details.`,
  examples: [
    'keepsake install claude-code',
    'keepsake install codex cursor --dry-run',
    'KEEPSAKE_API_KEY=… keepsake install vscode --url https://memory.example.com --user ana',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: installOptions, allowPositionals: true })
    const chosen = programsIn(positionals)
    const env = io.env ?? {}
    const place = placeIn(env)
    const { url, user, 'data-dir': dataDir } = values
    for (const [name, value] of Object.entries({ url, user, 'data-dir': dataDir })) {
      if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
    }
    const apiKey = url === undefined ? undefined : env.KEEPSAKE_API_KEY?.trim() || undefined
    const settings = settingsFor(place, { url, apiKey, user, dataDir }, env)
    // Everything is planned before the first file is written.
    const machine = machineOf(env, settings.url !== undefined)
    const plans = chosen.map((program) => ({ program, changes: planInstall(program, machine) }))
    const isDry = values['dry-run'] === true
    if (!isDry) {
      saveSettings(place, settings)
      for (const { program, changes } of plans) carryOut(program, changes, place)
      if (settings.url === undefined && serviceOf(place, settings) === undefined) startService(place)
    }
    await report(io, plans, { isDry, isJson: values.json === true })
    return exitCodes.fine
  },
}

const uninstallOptions = { ...dryRun, ...jsonOption } as const satisfies Options

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take back what install changed',
  usage: 'PROGRAM…',
  operands: names,
  options: uninstallOptions,
  help: `Restores the files byte for byte. If a file has changed since, only the entries of install are removed from it. Memories stay; after
the last program, the service that agents share stops.`,
  examples: ['keepsake uninstall claude-code', 'keepsake uninstall cursor --dry-run'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: uninstallOptions, allowPositionals: true })
    const chosen = programsIn(positionals)
    const env = io.env ?? {}
    const place = placeIn(env)
    const plans = chosen.map((program) => ({ program, changes: planUninstall(program, machineOf(env), place) }))
    const isDry = values['dry-run'] === true
    if (!isDry) {
      for (const { program, changes } of plans) takeBack(program, changes, place)
      if (!programs.some((program) => isInstalled(place, program))) await stopService(place)
    }
    await report(io, plans, { isDry, isJson: values.json === true, isUninstall: true })
    return exitCodes.fine
  },
}

const statusOptions = { ...jsonOption } as const satisfies Options

export const installStatus: Command = {
  name: 'install status',
  summary: 'show which agents have a memory',
  usage: '',
  options: statusOptions,
  help: `Lists the programs, whether their files have the entries of install, and whether the service that they share is running. The state of a
program is installed, changed (entries are missing or differ: install again) or not installed.`,
  examples: ['keepsake install status', 'keepsake install status --json'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: statusOptions })
    const env = io.env ?? {}
    const place = placeIn(env)
    const states = programs.map((program) => ({ program: program.name, state: stateOf(program, io) }))
    const settings = settingsIn(place)
    const service = settings === undefined ? undefined : serviceOf(place, settings)
    const sent = { method: 'GET', path: '/readyz', timeoutMs: 2000 } as const
    const answer = service === undefined ? undefined : await send(service, sent).catch(() => undefined)
    const isRunning = answer?.status === 200
    const url = settings?.url ?? service?.url ?? null
    if (values.json) {
      await writeJson(io, { programs: states, service: { running: isRunning, url, user: settings?.user ?? null } })
      return exitCodes.fine
    }
    for (const line of columns(states.map(({ program, state }) => [program, state]))) await writeLine(io.stdout, line)
    const where = url === null ? '' : ` at ${oneLine(url)}`
    await writeLine(io.stdout, `service: ${isRunning ? `running${where}` : 'not running; the next prompt starts it'}`)
    return exitCodes.fine
  },
}

function stateOf(program: Program, io: Io): string {
  const env = io.env ?? {}
  if (!isInstalled(placeIn(env), program)) return 'not installed'
  try {
    const machine = machineOf(env, settingsIn(placeIn(env))?.url !== undefined)
    return planInstall(program, machine).some(isChange) ? 'changed' : 'installed'
  } catch (error) {
    // A file that cannot be read is a change that install explains.
    if (error instanceof Error) return 'changed'
    throw error
  }
}

function programsIn(typed: readonly string[]): Program[] {
  if (typed.length === 0) throw new UsageError(`name a program: ${names.join(', ')}`)
  return [...new Set(typed)].map((name) => {
    const found = programs.find((program) => program.name === name)
    if (found === undefined)
      throw new UsageError(`unknown program ${JSON.stringify(name)}; available: ${names.join(', ')}`)
    return found
  })
}

interface Report {
  readonly isDry: boolean
  readonly isJson: boolean
  readonly isUninstall?: boolean
}

async function report(
  io: Io,
  plans: readonly { readonly program: Program; readonly changes: readonly Change[] }[],
  { isDry, isJson, isUninstall = false }: Report,
): Promise<void> {
  if (isJson) {
    const shown = plans.map(({ program, changes }) => ({
      program: program.name,
      files: changes.map((each) => ({ path: each.path, what: each.what, change: kindOf(each) })),
    }))
    await writeJson(io, { dry_run: isDry, programs: shown })
    return
  }
  const paint = painterFor(io)
  for (const { program, changes } of plans) {
    for (const each of changes) {
      const verb = `${isDry && isChange(each) ? 'would ' : ''}${kindOf(each)}`
      await writeLine(io.stdout, `${verb}  ${oneLine(each.path)}  ${paint('dim', each.what)}`)
      if (isDry) for (const line of differences(each)) await writeLine(io.stdout, `    ${oneLine(line)}`)
    }
    if (!isDry && !isUninstall) await writeLine(io.stderr, program.next)
  }
}

function kindOf(change: Change): string {
  if (!isChange(change)) return 'keep'
  if (change.before === null) return 'create'
  return change.after === null ? 'delete' : 'change'
}

const maxShown = 60

/** The lines that differ: what is between the common beginning and end. */
function differences({ before, after }: Change): string[] {
  const [old, young] = [before, after].map((bytes) => bytes?.toString('utf8').split('\n') ?? [])
  if (old === undefined || young === undefined) return []
  let start = 0
  while (start < Math.min(old.length, young.length) && old[start] === young[start]) start += 1
  let end = 0
  while (end < Math.min(old.length, young.length) - start && old.at(-1 - end) === young.at(-1 - end)) end += 1
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...young.slice(start, young.length - end).map((line) => `+ ${line}`),
  ]
  return lines.length > maxShown ? [...lines.slice(0, maxShown), `… ${lines.length - maxShown} more lines`] : lines
}
