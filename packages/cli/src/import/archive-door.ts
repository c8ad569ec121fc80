/** `keepsake import` for Keepsake archives, which go directly into the store, not through a service. */

import { exitCodes, type Io } from '../command.js'
import { counted } from '../output.js'
import { showProgress } from '../progress.js'
import { type StoreOptions, settings, storeOf } from '../store-option.js'
import { type ArchiveReport, type ArchiveSource, importArchive } from './archive.js'

export interface ArchiveValues extends StoreOptions {
  readonly 'dry-run'?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Returns the exit code. */
export async function importArchiveFrom(source: ArchiveSource, values: ArchiveValues, io: Io): Promise<number> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  try {
    const report = await importArchive({
      ...source,
      target: await storeOf(values),
      dryRun: values['dry-run'] ?? false,
      secrets: (await settings()).secrets,
      progress: (options) => showProgress(io.stderr, options),
      signal: stop.signal,
    })
    io.stdout.write(`${values.json ? JSON.stringify(wireOf(report)) : sentence(report)}\n`)
    return report.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  } catch (error) {
    if (!stop.signal.aborted) throw error
    io.stderr.write('keepsake import: interrupted; run the same command again to continue\n')
    return exitCodes.failed
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function wireOf({ counts, resumedAfter, mismatches, withoutVectors, dryRun, redacted }: ArchiveReport) {
  return { dry_run: dryRun, counts, resumed_after: resumedAfter, mismatches, without_vectors: withoutVectors, redacted }
}

function sentence({ counts, resumedAfter, mismatches, withoutVectors, dryRun, redacted }: ArchiveReport): string {
  const { user = 0, memory = 0, version = 0 } = counts
  const earlier = resumedAfter > 0 ? ` (${resumedAfter} records by an earlier run)` : ''
  const lines = [
    `${dryRun ? 'would import' : 'imported'} ${counted(user, 'user')}, ${counted(memory, 'memory', 'memories')}, ${counted(version, 'version')}${earlier}`,
  ]
  if (withoutVectors)
    lines.push(
      'the archive has no vectors: the service computes them after its next start, and searches by keywords until then',
    )
  if (redacted.length > 0) {
    const kinds = redacted.map(({ kind, count }) => `${kind} (${count})`).join(', ')
    lines.push(`secrets ${dryRun ? 'would be' : 'were'} replaced by marks: ${kinds}`)
  }
  if (mismatches > 0)
    lines.push(`the content of ${mismatches} versions does not match its checksum, as in the store it came from`)
  return lines.join('\n')
}
