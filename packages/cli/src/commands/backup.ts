import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type BackupReport, backUp } from '@keepsake/server/backup'
import { ConfigError, readConfig } from '@keepsake/server/config'
import { type Command, exitCodes, UsageError } from '../command.js'

export const backup: Command = {
  name: 'backup',
  summary: 'copy the embedded store into a file, while the service runs',
  usage: '[--data-dir DIRECTORY] [--json] TARGET',
  help: `Writes one consistent copy of the store, with all that was acknowledged before the command began, checks it, and
gives it its name only then. TARGET must not be there yet. To restore, put it as keepsake.db into an empty data directory.

  --data-dir DIRECTORY   the service’s data directory; without it SERVICE_DATA_DIR, the .env file here, or ./data
  --json                 one JSON object instead of a line of text

Exit codes: 0 done, 1 done, but some content no longer fits its checksum, 2 not done.`,

  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, 'data-dir': { type: 'string' } },
    })
    const [target, ...more] = positionals
    if (target === undefined || target === '' || more.length > 0) throw new UsageError('name one file to write')
    const report = backUp(values['data-dir'] ?? configuredDirectory(), resolve(target))
    io.stdout.write(`${values.json ? JSON.stringify({ file: target, ...report }) : sentence(target, report)}\n`)
    return report.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  },
}

/** As the service itself would find it, so that the command means the same store in the same place. */
function configuredDirectory(): string {
  try {
    const { config } = readConfig()
    if ('databaseUrl' in config && config.databaseUrl !== undefined)
      throw new UsageError('the memories are in PostgreSQL (SERVICE_DATABASE_URL): pg_dump copies them')
    return config.dataDir
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}

function sentence(target: string, { bytes, users, memories, versions, mismatches }: BackupReport): string {
  const size = `${target}: ${users} users, ${memories} memories, ${versions} versions, ${bytes} bytes`
  if (mismatches === 0) return `${size}, all checksums right`
  return `${size}; the content of ${mismatches} versions does not fit its checksum, here and in the store`
}
