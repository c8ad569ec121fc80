import { parseArgs } from 'node:util'
import { type Command, type Options, UsageError } from '../command.js'
import { storeOptions } from '../store-option.js'

const options = {
  user: { type: 'string', value: 'ID', help: 'export only this user; default everyone' },
  where: { type: 'string', value: 'FILTER', help: 'only memories that pass this filter, as JSON: docs/api.md#filters' },
  vectors: {
    type: 'boolean',
    help: 'include the vectors, so that nothing has to be embedded again; more than doubles the size',
  },
  keys: {
    type: 'boolean',
    help: 'include hashes of API keys, so that keys keep working, and webhooks with their secrets',
  },
  ...storeOptions,
  json: {
    type: 'boolean',
    help: 'print the summary as one JSON object; on standard error if the archive goes to standard output',
  },
} as const satisfies Options

export const exportArchive: Command = {
  name: 'export',
  summary: 'write all data of one user, or of everyone, to one file',
  usage: '[FILE]',
  options,
  help: `Writes a consistent snapshot as JSON Lines, even while the service runs: memories with all versions, entities, relationships,
contradictions, merges, original texts and texts waiting to be processed. Without FILE, or with -, it writes to standard output.
Contents are checked against their checksums. keepsake import restores the archive exactly, into either engine;
docs/import-export.md describes the format. --where makes a temporary copy, without texts that wait to be processed.

Exit codes: 0 done, 1 done, but some content does not match its checksum, 2 not done.`,
  examples: [
    'keepsake export --user alice alice.jsonl',
    `keepsake export --user alice --where '{"metadata.run_id":"r7"}' run.jsonl`,
    'keepsake export --vectors --keys - | gzip > everything.jsonl.gz',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name = '-', ...more] = positionals
    if (more.length > 0 || name === '') throw new UsageError('name one file to write, or - for standard output')
    if (values.user === '') throw new UsageError('--user must not be empty')
    const { user, where, vectors = false, keys = false, json = false } = values
    if (where !== undefined && keys) throw new UsageError('--where can’t be combined with --keys')
    const selection = { ...(user === undefined ? {} : { user }), vectors, keys }
    // Loaded on demand: few commands open the store.
    const { exportStore } = await import('../archive/export-store.js')
    return exportStore({ name, selection, where, store: values, json }, io)
  },
}
