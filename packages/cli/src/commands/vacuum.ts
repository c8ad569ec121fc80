import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { embeddedOptions } from '../store-option.js'

const options = {
  ...embeddedOptions,
  json: { type: 'boolean', help: 'print one JSON object instead of a line of text' },
} as const satisfies Options

export const vacuum: Command = {
  name: 'vacuum',
  summary: 'rewrite the embedded store, so that its file contains nothing that was erased',
  usage: '',
  options,
  help: `A store of up to SERVICE_VACUUM_MAX_MB is rewritten automatically after erasures. This command is for larger stores, and to free disk space.
The service must be stopped. It takes about one second per 100 MB, and needs free space of twice the size of the store.

Exit codes: 0 done, 2 not done.`,
  examples: ['keepsake vacuum --data-dir ~/.keepsake'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const { vacuumDirectory } = await import('@keepsake/server/vacuum')
    const report = vacuumDirectory(values['data-dir'] ?? (await configuredDirectory()))
    const { bytesBefore, bytesAfter } = report
    const line = `rewritten: ${bytesBefore.toLocaleString('en-US')} bytes before, ${bytesAfter.toLocaleString('en-US')} now`
    io.stdout.write(`${values.json ? JSON.stringify({ bytes_before: bytesBefore, bytes_after: bytesAfter }) : line}\n`)
    return exitCodes.fine
  },
}

async function configuredDirectory(): Promise<string> {
  const { ConfigError, readConfig } = await import('@keepsake/server/config')
  try {
    const { config } = readConfig()
    if (config.databaseUrl !== undefined)
      throw new UsageError(
        'the memories are in PostgreSQL (SERVICE_DATABASE_URL): see docs/security.md for the command to use',
      )
    return config.dataDir
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}
