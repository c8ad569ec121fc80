import { createReadStream, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { AuditReport, AuditSource } from '@keepsake/server/audit'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'

const options = {
  after: { type: 'string', value: 'HASH', help: 'hash that the log continues from, if the earlier files are missing' },
  expect: {
    type: 'string',
    value: 'HASH',
    help: 'hash noted earlier that must be in the log; the only way to detect lines cut off the end',
  },
  json: { type: 'boolean', help: 'print one JSON object instead of a line of text' },
} as const satisfies Options

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'check the hash chain of an audit log',
  usage: 'FILE…',
  options,
  help: `Reads the log and names the first line that was changed, removed, added or moved. Pass the files of a
rotated log together, oldest first; - reads standard input.

Exit codes: 0 intact, 1 broken, 2 usage error or unreadable file.`,
  examples: [
    'keepsake audit verify audit.log',
    'keepsake audit verify audit.log.1 audit.log',
    'zcat audit.log.1.gz | keepsake audit verify -',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    if (positionals.length === 0) throw new UsageError('name a file, or - for standard input')
    if (positionals.filter((name) => name === '-').length > 1) throw new UsageError('- can be given once')
    const hashes = { ...hashOption('after', values.after), ...hashOption('expect', values.expect) }
    // Loaded on demand: no other command needs it.
    const { verifyAuditLog } = await import('@keepsake/server/audit')
    const report = await verifyAuditLog(sourcesOf(positionals, io), hashes)
    io.stdout.write(`${values.json ? JSON.stringify(report) : sentence(report, positionals)}\n`)
    return report.ok ? exitCodes.fine : exitCodes.failed
  },
}

/** Checks all names before reading the first file, so that a misspelt name fails at once. */
function sourcesOf(names: readonly string[], io: Io): AuditSource[] {
  for (const name of names) {
    if (name !== '-' && statSync(name).isDirectory()) throw new UsageError(`${name} is a directory`)
  }
  return names.map((name) => ({ name, bytes: name === '-' ? io.stdin : bytesOf(name) }))
}

/** Opens the file only when it is read. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}

function hashOption(name: 'after' | 'expect', value: string | undefined): { readonly [option: string]: string } {
  if (value === undefined) return {}
  const hash = value.toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new UsageError(`--${name} takes a hash: 64 characters of 0-9 and a-f`)
  return { [name]: hash }
}

function sentence(report: AuditReport, names: readonly string[]): string {
  const [first = ''] = names
  const log = names.length === 1 ? first : `${names.length} files`
  if (report.ok) return `${log}: intact, ${report.lines} lines, last hash ${report.last_hash}`
  const place = report.line === null ? report.file : `${report.file}:${report.line}`
  return `${place ?? log}: ${report.reason}`
}
