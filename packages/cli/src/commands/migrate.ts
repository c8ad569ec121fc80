import { parseArgs } from 'node:util'
import type { Command, Options } from '../command.js'
import { storeOptions } from '../store-option.js'

const options = {
  'data-dir': {
    ...storeOptions['data-dir'],
    help: 'source data directory; default SERVICE_DATA_DIR, or ./data',
  },
  'database-url': {
    ...storeOptions['database-url'],
    help: 'target database; prefer SERVICE_DATABASE_URL, which keeps the password out of the process list',
  },
  json: { type: 'boolean', help: 'print the counts as one JSON object' },
} as const satisfies Options

export const migrateToPostgres: Command = {
  name: 'migrate sqlite-to-postgres',
  summary: 'move a whole data directory into PostgreSQL',
  usage: '',
  options,
  help: `Copies all users with all their data, texts waiting to be processed and API keys into the database, then compares both sides
record by record. The service must be stopped: the directory stays locked during the migration, so nothing can be added. The
directory is not changed. If the command is interrupted or killed, run it again and it continues where it stopped.

Exit codes: 0 moved and verified, 1 moved, but some content does not match its checksum or the sides differ, 2 not done.`,
  examples: [
    'SERVICE_DATABASE_URL=postgres://keepsake:secret@127.0.0.1:5432/keepsake keepsake migrate sqlite-to-postgres --data-dir ./data',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    // Loaded on demand: few commands open the store.
    const { moveToPostgres } = await import('../archive/move-store.js')
    return moveToPostgres(values, io)
  },
}
