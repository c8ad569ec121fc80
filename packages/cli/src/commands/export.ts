import { parseArgs } from 'node:util'
import { type Command, type Options, UsageError } from '../command.js'
import { storeOptions } from '../store-option.js'

const options = {
  user: { type: 'string', value: 'ID', help: 'export only this user; default everyone' },
  project: { type: 'string', value: 'NAME', help: 'only memories of this project' },
  where: { type: 'string', value: 'FILTER', help: 'only memories that pass this filter, as JSON: docs/api.md#filters' },
  markdown: {
    type: 'string',
    value: 'DIRECTORY',
    help: 'write current memories as Markdown files into this directory, instead of an archive',
  },
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
docs/import-export.md describes the format. --project and --where make a temporary copy, without texts that wait to be processed.

--markdown keeps a directory up to date that people can read and git can compare: one file per user, project and month. Repeat the
command to update it: files that did not change stay untouched, deleted memories disappear, and other files are never changed.
keepsake import reads it back.

Exit codes: 0 done, 1 done, but some content does not match its checksum, 2 not done.`,
  examples: [
    'keepsake export --user alice alice.jsonl',
    `keepsake export --user alice --where '{"metadata.run_id":"r7"}' run.jsonl`,
    'keepsake export --user alice --project work work.jsonl',
    'keepsake export --user alice --markdown notes && git -C notes diff',
    'keepsake export --vectors --keys - | gzip > everything.jsonl.gz',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name, ...more] = positionals
    if (more.length > 0 || name === '') throw new UsageError('name one file to write, or - for standard output')
    for (const option of ['user', 'project', 'markdown'] as const) {
      if (values[option] === '') throw new UsageError(`--${option} must not be empty`)
    }
    const { user, project, where, markdown, vectors = false, keys = false, json = false } = values
    if ((where !== undefined || project !== undefined) && keys) {
      throw new UsageError('--project and --where can’t be combined with --keys')
    }
    const selection = { ...(user === undefined ? {} : { user }), vectors, keys }
    const wanted = { selection, project, where, store: values, json }
    // Loaded on demand: few commands open the store.
    if (markdown === undefined) {
      const { exportStore } = await import('../archive/export-store.js')
      return exportStore({ name: name ?? '-', ...wanted }, io)
    }
    if (name !== undefined) throw new UsageError('--markdown names the directory to write: omit the file')
    if (vectors || keys) throw new UsageError('--markdown can’t be combined with --vectors and --keys')
    const { exportMirror } = await import('../mirror/export-mirror.js')
    return exportMirror({ directory: markdown, ...wanted }, io)
  },
}
