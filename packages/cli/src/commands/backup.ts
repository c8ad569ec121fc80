import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BackupReport } from '@keepsake/server/backup'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { counted } from '../output.js'
import { embeddedOptions } from '../store-option.js'

const options = {
  ...embeddedOptions,
  json: { type: 'boolean', help: 'print one JSON object instead of a line of text' },
} as const satisfies Options

export const backup: Command = {
  name: 'backup',
  summary: 'copy the embedded store to a file, even while the service runs',
  usage: 'TARGET',
  options,
  help: `Writes a consistent copy of the store with everything acknowledged before the command started. The copy is checked before it
gets its final name. TARGET must not exist yet. To restore, put it into an empty data directory as keepsake.db.

Exit codes: 0 done, 1 done, but some content does not match its checksum, 2 not done.`,
  examples: ['keepsake backup --data-dir ~/.keepsake /backups/monday.db'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [target, ...more] = positionals
    if (target === undefined || target === '' || more.length > 0) throw new UsageError('name one file to write')
    // Loaded on demand: few commands open the store.
    const { backUp } = await import('@keepsake/server/backup')
    const report = backUp(values['data-dir'] ?? (await configuredDirectory()), resolve(target))
    io.stdout.write(`${values.json ? JSON.stringify({ file: target, ...report }) : sentence(target, report)}\n`)
    return report.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  },
}

/** Resolves the directory as the service does, so that the command copies the same store. */
async function configuredDirectory(): Promise<string> {
  const { ConfigError, readConfig } = await import('@keepsake/server/config')
  try {
    const { config } = readConfig()
    if ('databaseUrl' in config && config.databaseUrl !== undefined)
      throw new UsageError('the memories are in PostgreSQL (SERVICE_DATABASE_URL): use pg_dump')
    return config.dataDir
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}

function sentence(target: string, { bytes, users, memories, versions, mismatches }: BackupReport): string {
  const size = `${target}: ${counted(users, 'user')}, ${counted(memories, 'memory', 'memories')}, ${counted(versions, 'version')}, ${bytes} bytes`
  if (mismatches === 0) return `${size}, all checksums match`
  return `${size}; the content of ${mismatches} versions does not match its checksum, in the copy and in the store`
}
