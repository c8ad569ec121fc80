/** `keepsake export --markdown`: writes a store as Markdown files that people can read and git can compare. */
import { openSelected, type Wanted } from '../archive/selected.js'
import { clockOf } from '../clock.js'
import { exitCodes, type Io } from '../command.js'
import { counted, writeJson, writeLine } from '../output.js'
import { isMirrorOf, MirrorFolder } from './folder.js'
import { pagesOf } from './pages.js'

export interface MirrorExport extends Wanted {
  readonly directory: string
  readonly json: boolean
}

/** Returns the exit code. */
export async function exportMirror({ directory, json, ...wanted }: MirrorExport, io: Io): Promise<number> {
  const { selection, project, where } = wanted
  const shown = { user: selection.user ?? null, project: project ?? null, where: where ?? null }
  // What an earlier export showed must vanish with the last memory, and with the user.
  const reader = await openSelected({ ...wanted, mayBeEmpty: await isMirrorOf(directory, shown) })
  try {
    const folder = await MirrorFolder.open(directory, shown)
    const total = { users: 0, memories: 0, flagged: 0, mismatches: 0 }
    const mismatch = (id: string) => {
      total.mismatches += 1
      io.stderr.write(`${id}: its content does not match its checksum; it is left out\n`)
    }
    for await (const user of pagesOf(reader, { selection, nowMs: clockOf(io).now(), mismatch })) {
      await folder.put(user.pages)
      total.users += 1
      total.memories += user.memories
      total.flagged += user.flagged
    }
    const files = await folder.finish()
    if (json) await writeJson(io, { directory, ...total, files })
    else {
      const left =
        total.flagged === 0 ? '' : `; ${counted(total.flagged, 'flagged memory', 'flagged memories')} left out`
      await writeLine(
        io.stdout,
        `${directory}: ${counted(total.memories, 'memory', 'memories')} of ${counted(total.users, 'user')}; ${counted(files.written, 'file')} written, ${files.unchanged} unchanged, ${files.removed} removed${left}`,
      )
    }
    return total.mismatches === 0 ? exitCodes.fine : exitCodes.failed
  } finally {
    await reader.close()
  }
}
