/** Which part of a store an export contains: one user or all, and perhaps only the memories that pass a filter. */
import {
  type Filter,
  openPortableReader,
  type PortableReader,
  type PortableSelection,
  readFilterText,
} from '@keepsake/server/portable'
import { UsageError } from '../command.js'
import { type StoreOptions, storeOf } from '../store-option.js'
import { openNarrowed } from './narrowed.js'

export interface Wanted {
  readonly selection: PortableSelection
  readonly project: string | undefined
  /** Only memories that pass it: JSON. */
  readonly where: string | undefined
  readonly store: StoreOptions
  /** Otherwise an unknown user or project is an error: a misspelt name must not produce an empty archive that looks like a backup. */
  readonly mayBeEmpty?: boolean
}

/** Both conditions as one filter; undefined if there is none. */
export function filterTextOf({ project, where }: Pick<Wanted, 'project' | 'where'>): string | undefined {
  if (project === undefined) return where
  const ofProject = JSON.stringify({ project })
  return where === undefined ? ofProject : `{"and":[${ofProject},${where}]}`
}

/** Closing the reader closes the store too. */
export async function openSelected(wanted: Wanted): Promise<PortableReader> {
  const { selection, project, where, store, mayBeEmpty = false } = wanted
  // On its own first, so that the message names the option.
  if (where !== undefined) filterOf(where, '--where')
  const text = filterTextOf({ project, where })
  const filter = text === undefined ? undefined : filterOf(text, project === undefined ? '--where' : '--project')
  const source = await openPortableReader(await storeOf(store))
  let reader = source
  const close = async () => {
    if (reader !== source) await reader.close()
    await source.close()
  }
  try {
    if (selection.user !== undefined && !mayBeEmpty) await requireUser(source, selection, selection.user)
    if (filter) reader = await openNarrowed(source, selection, filter)
    if (project !== undefined && where === undefined && !mayBeEmpty) await requireProject(reader, selection, project)
    return { existing: reader.existing, count: reader.count, read: reader.read, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The message names the field or operator that is wrong. */
function filterOf(text: string, option: string): Filter {
  try {
    return readFilterText(text)
  } catch (error) {
    throw new UsageError(`${option}: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

async function requireUser(reader: PortableReader, selection: PortableSelection, user: string): Promise<void> {
  if ((await reader.count({ ...selection, keys: true })) === 0) {
    throw new UsageError(`the store has no user ${JSON.stringify(user)}`)
  }
}

async function requireProject(reader: PortableReader, selection: PortableSelection, project: string): Promise<void> {
  for await (const { record } of reader.read(selection)) if (record === 'memory') return
  const whose = selection.user === undefined ? 'the store' : `the user ${JSON.stringify(selection.user)}`
  throw new UsageError(`${whose} has no memories in the project ${JSON.stringify(project)}`)
}
