/** Exports a store to an archive. */

import { resolve } from 'node:path'
import {
  type Filter,
  openPortableReader,
  type PortableReader,
  type PortableSelection,
  readFilterText,
} from '@keepsake/server/portable'
import { exitCodes, type Io, UsageError } from '../command.js'
import { counted } from '../output.js'
import { showProgress } from '../progress.js'
import { type StoreOptions, storeOf } from '../store-option.js'
import { type ArchiveOutput, fileOutput, streamOutput } from './archive-output.js'
import { type ArchiveEnd, ArchiveLines } from './lines.js'
import { openNarrowed } from './narrowed.js'

export interface StoreExport {
  /** Name of the file; `-` is standard output. */
  readonly name: string
  readonly selection: PortableSelection
  /** Only memories that pass it: JSON. */
  readonly where: string | undefined
  readonly store: StoreOptions
  readonly json: boolean
}

/** Returns the exit code. */
export async function exportStore({ name, selection, where, store, json }: StoreExport, io: Io): Promise<number> {
  const filter = where === undefined ? undefined : filterOf(where)
  const source = await openPortableReader(await storeOf(store))
  let reader = source
  try {
    if (selection.user !== undefined) await requireUser(source, selection, selection.user)
    if (filter) reader = await openNarrowed(source, selection, filter)
    const output = name === '-' ? streamOutput(io.stdout) : await fileOutput(resolve(name))
    const end = await writeArchive(reader, selection, where, output, io)
    const report = json ? JSON.stringify({ file: name, ...summaryOf(end) }) : sentence(name, end)
    const said = name === '-' ? io.stderr : io.stdout
    said.write(`${report}\n`)
    return end.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  } finally {
    await source.close()
    if (reader !== source) await reader.close()
  }
}

/** The message names the field or operator that is wrong. */
function filterOf(where: string): Filter {
  try {
    return readFilterText(where)
  } catch (error) {
    throw new UsageError(`--where: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

/** A misspelt name must not produce an empty archive that looks like a backup. */
async function requireUser(reader: PortableReader, selection: PortableSelection, user: string): Promise<void> {
  if ((await reader.count({ ...selection, keys: true })) === 0) {
    throw new UsageError(`the store has no user ${JSON.stringify(user)}`)
  }
}

async function writeArchive(
  reader: PortableReader,
  selection: PortableSelection,
  where: string | undefined,
  output: ArchiveOutput,
  io: Io,
): Promise<ArchiveEnd> {
  const lines = new ArchiveLines()
  const { user = null, vectors, keys } = selection
  const progress = showProgress(io.stderr, {
    label: 'exporting',
    unit: 'records',
    total: await reader.count(selection),
  })
  try {
    const filter = where === undefined ? {} : { filter: where }
    await output.write(lines.header({ made_at: new Date().toISOString(), vectors, keys, user, ...filter }))
    let memoryId = ''
    for await (const record of reader.read(selection)) {
      if (record.record === 'memory') memoryId = record.id
      const before = lines.mismatches
      await output.write(lines.record(record))
      progress.advance()
      if (lines.mismatches > before && record.record === 'version') {
        progress.end()
        io.stderr.write(`version ${record.version} of ${memoryId}: its content does not match its checksum\n`)
      }
    }
    const { line, end } = lines.end()
    await output.write(line)
    await output.finish()
    return end
  } catch (error) {
    await output.discard()
    throw error
  } finally {
    progress.end()
  }
}

function summaryOf({ counts, mismatches, sha256 }: ArchiveEnd) {
  return { counts, mismatches, sha256 }
}

function sentence(name: string, { counts, mismatches, sha256 }: ArchiveEnd): string {
  const { user = 0, memory = 0, version = 0 } = counts
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const file = name === '-' ? 'standard output' : name
  const all = `${file}: ${counted(user, 'user')}, ${counted(memory, 'memory', 'memories')}, ${counted(version, 'version')}, ${counted(records, 'record')}, sha256 ${sha256}`
  return mismatches === 0 ? all : `${all}; the content of ${mismatches} versions does not match its checksum`
}
