import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'

const options = {
  host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (SERVICE_HOST); default 127.0.0.1' },
  port: {
    type: 'string',
    short: 'p',
    value: 'N',
    help: 'port to listen on (SERVICE_PORT); default 8787, 0 picks a free one',
  },
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'where memories are kept (SERVICE_DATA_DIR); default ./data',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    help: 'log level (SERVICE_LOG_LEVEL); default info',
  },
  'audit-log': { type: 'string', value: 'FILE', help: 'audit log (SERVICE_AUDIT_LOG); default standard output' },
  'env-file': {
    type: 'string',
    value: 'FILE',
    help: 'settings that the environment lacks; default .env in the data directory',
  },
  set: {
    type: 'string',
    value: 'NAME=VALUE',
    multiple: true,
    help: 'any other setting, such as SERVICE_DECAY_HALF_LIFE_DAYS=60',
  },
} as const satisfies Options

/** The setting that each option sets. */
const settingOf = {
  host: 'SERVICE_HOST',
  port: 'SERVICE_PORT',
  'data-dir': 'SERVICE_DATA_DIR',
  'log-level': 'SERVICE_LOG_LEVEL',
  'audit-log': 'SERVICE_AUDIT_LOG',
} as const

export const serve: Command = {
  name: 'serve',
  summary: 'start the service',
  usage: '',
  options,
  help: `Runs the whole service in this process until it receives a signal, like npm start. Options override the environment, which overrides
the file: .env in the data directory, or --env-file. No other command reads such a file. docs/configuration.md lists every setting. The log is
readable on a terminal and JSON Lines elsewhere (SERVICE_LOG_FORMAT).

Exit codes: 0 stopped by a signal, 1 could not start, 2 usage error.`,
  examples: [
    'keepsake serve',
    'keepsake serve --port 8080 --data-dir ~/.keepsake',
    'SERVICE_MASTER_KEY=$(openssl rand -hex 32) keepsake serve --host 0.0.0.0',
  ],

  async run(args) {
    const { settings, envFile } = read(args)
    // The service reads its settings only from the environment of its process.
    Object.assign(process.env, settings)
    await start(envFile === undefined ? [] : ['--env-file', envFile])
    return exitCodes.fine
  },
}

/** In a clone, builds what changed first, like npm start. Elsewhere everything is already built and there is no compiler. */
async function start(args: readonly string[]): Promise<void> {
  const home = dirname(createRequire(import.meta.url).resolve('@keepsake/server/package.json'))
  if (existsSync(join(home, 'src'))) {
    const script: { start(args: readonly string[]): Promise<void> } = await import(
      pathToFileURL(join(home, 'start.mjs')).href
    )
    return script.start(args)
  }
  const { main } = await import('@keepsake/server')
  await main(args)
}

function read(args: readonly string[]): { settings: Record<string, string>; envFile: string | undefined } {
  const { values } = parseArgs({ args: [...args], options })
  const settings: Record<string, string> = {}
  for (const pair of values.set ?? []) {
    const [name = '', ...value] = pair.split('=')
    if (!/^SERVICE_[A-Z0-9_]+$/.test(name) || value.length === 0) throw new UsageError('--set takes SERVICE_NAME=VALUE')
    if (/_KEY$|_URL$/.test(name) && !/_BASE_URL$/.test(name)) {
      throw new UsageError(
        `${name} is a secret that other users could see on the command line: set it in the environment`,
      )
    }
    settings[name] = value.join('=')
  }
  for (const [option, setting] of Object.entries(settingOf)) {
    // The keys of the table are option names.
    const value = values[option as keyof typeof settingOf]
    if (value?.trim() === '') throw new UsageError(`--${option} must not be empty`)
    if (value !== undefined) settings[setting] = value
  }
  const envFile = values['env-file']
  if (envFile?.trim() === '') throw new UsageError('--env-file must not be empty')
  return { settings, envFile }
}
