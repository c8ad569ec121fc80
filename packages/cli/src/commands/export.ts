import { parseArgs } from 'node:util'
import { type Command, type Options, UsageError } from '../command.js'
import { storeOptions } from '../store-option.js'

const options = {
  user: { type: 'string', value: 'ID', help: 'this user alone; without it everybody' },
  vectors: {
    type: 'boolean',
    help: 'with the vectors, so that nothing has to be embedded anew; more than twice the size',
  },
  keys: {
    type: 'boolean',
    help: 'with the hashes of API keys, so that keys work on in the new place, and webhooks with their secrets',
  },
  ...storeOptions,
  json: {
    type: 'boolean',
    help: 'what was written as one JSON object, on standard error where the archive is on standard output',
  },
} as const satisfies Options

export const exportArchive: Command = {
  name: 'export',
  summary: 'write all that is kept of a user, or of everybody, into one file',
  usage: '[FILE]',
  options,
  help: `Writes JSON Lines, in one consistent state, while the service runs: memories with all versions, entities, relationships,
contradictions, merges, originals and texts that wait. Without FILE, or with -, to standard output. Contents are compared
with their checksums. It goes back exactly, into either engine; docs/import-export.md describes it.

Exit codes: 0 done, 1 done, but some content does not fit its checksum, 2 not done.`,
  examples: [
    'keepsake export --user alice alice.jsonl',
    'keepsake export --vectors --keys - | gzip > everything.jsonl.gz',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name = '-', ...more] = positionals
    if (more.length > 0 || name === '') throw new UsageError('name one file to write, or - for standard output')
    if (values.user === '') throw new UsageError('--user must not be empty')
    const { user, vectors = false, keys = false, json = false } = values
    const selection = { ...(user === undefined ? {} : { user }), vectors, keys }
    // Loaded here: few commands open the store.
    const { exportStore } = await import('../archive/export-store.js')
    return exportStore({ name, selection, store: values, json }, io)
  },
}
