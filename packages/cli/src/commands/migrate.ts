import { parseArgs } from 'node:util'
import type { Command, Options } from '../command.js'
import { storeOptions } from '../store-option.js'

const options = {
  'data-dir': {
    ...storeOptions['data-dir'],
    help: 'from here; without it SERVICE_DATA_DIR, the .env file here, or ./data',
  },
  'database-url': {
    ...storeOptions['database-url'],
    help: 'into this database; SERVICE_DATABASE_URL keeps its password out of the list of processes',
  },
  json: { type: 'boolean', help: 'the counts as one JSON object' },
} as const satisfies Options

export const migrateToPostgres: Command = {
  name: 'migrate sqlite-to-postgres',
  summary: 'move a whole data directory into PostgreSQL',
  usage: '',
  options,
  help: `Copies all users with all that is kept of them, texts that wait and API keys into the database, and compares both sides record
by record at the end. The service must be stopped: the directory is locked meanwhile, so that nothing comes after it. The
directory is not changed. Interrupted, however hard, the same command goes on where it stopped.

Exit codes: 0 moved and found the same, 1 moved, but some content does not fit its checksum or the sides differ, 2 not done.`,
  examples: [
    'SERVICE_DATABASE_URL=postgres://keepsake:secret@127.0.0.1:5432/keepsake keepsake migrate sqlite-to-postgres --data-dir ./data',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    // Loaded here: few commands open the store.
    const { moveToPostgres } = await import('../archive/move-store.js')
    return moveToPostgres(values, io)
  },
}
