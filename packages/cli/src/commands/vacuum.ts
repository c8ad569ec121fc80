import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { embeddedOptions } from '../store-option.js'

const options = {
  ...embeddedOptions,
  json: { type: 'boolean', help: 'one JSON object instead of a line of text' },
} as const satisfies Options

export const vacuum: Command = {
  name: 'vacuum',
  summary: 'write the embedded store anew, so that nothing of what was erased is left in its file',
  usage: '',
  options,
  help: `A store up to SERVICE_VACUUM_MAX_MB does this by itself after erasures; this is for larger ones, and to give disk space back. The service
must not run. It takes about a second for 100 MB, and needs free space of twice the store’s size.

Exit codes: 0 done, 2 not done.`,
  examples: ['keepsake vacuum --data-dir ~/.keepsake'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const { vacuumDirectory } = await import('@keepsake/server/vacuum')
    const report = vacuumDirectory(values['data-dir'] ?? (await configuredDirectory()))
    const { bytesBefore, bytesAfter } = report
    const line = `written anew: ${bytesBefore.toLocaleString('en-US')} bytes before, ${bytesAfter.toLocaleString('en-US')} now`
    io.stdout.write(`${values.json ? JSON.stringify({ bytes_before: bytesBefore, bytes_after: bytesAfter }) : line}\n`)
    return exitCodes.fine
  },
}

async function configuredDirectory(): Promise<string> {
  const { ConfigError, readConfig } = await import('@keepsake/server/config')
  try {
    const { config } = readConfig()
    if (config.databaseUrl !== undefined)
      throw new UsageError('the memories are in PostgreSQL (SERVICE_DATABASE_URL): docs/security.md has its command')
    return config.dataDir
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}
