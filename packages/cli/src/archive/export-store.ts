/** Exports a store to an archive. */

import { resolve } from 'node:path'
import type { PortableReader, PortableSelection } from '@keepsake/server/portable'
import { exitCodes, type Io } from '../command.js'
import { counted } from '../output.js'
import { showProgress } from '../progress.js'
import { type ArchiveOutput, fileOutput, streamOutput } from './archive-output.js'
import { type ArchiveEnd, ArchiveLines } from './lines.js'
import { filterTextOf, openSelected, type Wanted } from './selected.js'

export interface StoreExport extends Wanted {
  /** Name of the file; `-` is standard output. */
  readonly name: string
  readonly json: boolean
}

/** Returns the exit code. */
export async function exportStore({ name, json, ...wanted }: StoreExport, io: Io): Promise<number> {
  const reader = await openSelected(wanted)
  try {
    const output = name === '-' ? streamOutput(io.stdout) : await fileOutput(resolve(name))
    const end = await writeArchive(reader, wanted.selection, filterTextOf(wanted), output, io)
    const report = json ? JSON.stringify({ file: name, ...summaryOf(end) }) : sentence(name, end)
    const said = name === '-' ? io.stderr : io.stdout
    said.write(`${report}\n`)
    return end.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  } finally {
    await reader.close()
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
