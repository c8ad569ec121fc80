import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'

const options = {
  host: { type: 'string', value: 'ADDRESS', help: 'SERVICE_HOST: where it listens; 127.0.0.1' },
  port: { type: 'string', short: 'p', value: 'N', help: 'SERVICE_PORT: 8787; 0 picks a free one' },
  'data-dir': { type: 'string', value: 'DIRECTORY', help: 'SERVICE_DATA_DIR: where memories are kept; ./data' },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    help: 'SERVICE_LOG_LEVEL: info',
  },
  'audit-log': { type: 'string', value: 'FILE', help: 'SERVICE_AUDIT_LOG: standard output unless told' },
  set: {
    type: 'string',
    value: 'NAME=VALUE',
    multiple: true,
    help: 'any other setting, such as SERVICE_DECAY_HALF_LIFE_DAYS=60',
  },
} as const satisfies Options

/** Options that are settings of the service by another name. */
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
  help: `The same as npm start: the whole service in this process, until a signal comes. Options win over the environment, which wins over the file
.env here. docs/configuration.md has every setting. Log and audit lines are JSON, a line each.

Exit codes: 0 stopped by a signal, 1 it could not start, 2 a wrong call.`,
  examples: [
    'keepsake serve',
    'keepsake serve --port 8080 --data-dir ~/.keepsake',
    'SERVICE_MASTER_KEY=$(openssl rand -hex 32) keepsake serve --host 0.0.0.0',
  ],

  async run(args) {
    const settings = settingsOf(args)
    // The service reads its settings from the environment of its process, and nowhere else.
    Object.assign(process.env, settings)
    await start()
    return exitCodes.fine
  },
}

/** In a clone what changed is built first, as npm start does; elsewhere all is built, and there is nothing to build with. */
async function start(): Promise<void> {
  const home = dirname(createRequire(import.meta.url).resolve('@keepsake/server/package.json'))
  if (existsSync(join(home, 'src'))) {
    await import(pathToFileURL(join(home, 'start.mjs')).href)
    return
  }
  const { main } = await import('@keepsake/server')
  await main()
}

function settingsOf(args: readonly string[]): Record<string, string> {
  const { values } = parseArgs({ args: [...args], options })
  const settings: Record<string, string> = {}
  for (const pair of values.set ?? []) {
    const [name = '', ...value] = pair.split('=')
    if (!/^SERVICE_[A-Z0-9_]+$/.test(name) || value.length === 0) throw new UsageError('--set takes SERVICE_NAME=VALUE')
    if (/_KEY$|_URL$/.test(name) && !/_BASE_URL$/.test(name)) {
      throw new UsageError(`${name} is a secret, which others could see here: set it in the environment`)
    }
    settings[name] = value.join('=')
  }
  for (const [option, setting] of Object.entries(settingOf)) {
    // The keys of the table are names of options.
    const value = values[option as keyof typeof settingOf]
    if (value?.trim() === '') throw new UsageError(`--${option} must not be empty`)
    if (value !== undefined) settings[setting] = value
  }
  return settings
}
