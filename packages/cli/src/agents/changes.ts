/** Plans, carries out and takes back the changes to a program’s files. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../command.js'
import { JsoncError } from './jsonc.js'
import { objectIn, type Place } from './place.js'
import type { FileEdit, Machine, Program } from './programs.js'
import { writeAtomically } from './write-file.js'

/** A file before and after. Null: there is none. */
export interface Change {
  readonly path: string
  readonly what: string
  readonly before: Buffer | null
  readonly after: Buffer | null
  /** The content without our entries. */
  readonly clean: Buffer | null
  readonly mode: number
}

interface FileRecord {
  readonly path: string
  /** The bytes before the first install, as base64. */
  readonly before: string | null
  /** Hash of the bytes that install wrote. */
  readonly after: string
  /** Directories that install created, innermost first. */
  readonly created: readonly string[]
}

const configMode = 0o600

export function planInstall(program: Program, machine: Machine): Change[] {
  return program.edits(machine).map((edit) => change(edit, (text) => edit.add(text)))
}

/** Files that nobody touched since get their old bytes back. From others, only our entries are removed. */
export function planUninstall(program: Program, machine: Machine, place: Place): Change[] {
  const records = recordsOf(place, program)
  return program.edits(machine).map((edit) => {
    const found = change(edit, (text) => edit.remove(text))
    const record = records.find(({ path }) => path === found.path)
    if (record !== undefined && found.before !== null && hashOf(found.before) === record.after) {
      return { ...found, after: record.before === null ? null : Buffer.from(record.before, 'base64') }
    }
    return edit.isOwn && found.after?.length === 0 ? { ...found, after: null } : found
  })
}

function change(edit: FileEdit, edited: (text: string) => string): Change {
  const path = targetOf(edit)
  try {
    const before = contentOf(path)
    const text = before === null ? '' : decoded(before)
    const after = edited(text)
    const isSame = after === text || (before === null && after === '')
    const mode = before === null ? configMode : statSync(path).mode & 0o777
    const rest = edit.remove(text)
    const clean = before === null || (edit.isOwn && rest === '') ? null : rest === text ? before : Buffer.from(rest)
    return { path, what: edit.what, before, after: isSame ? before : Buffer.from(after), clean, mode }
  } catch (error) {
    if (error instanceof JsoncError)
      throw new UsageError(`${path}: ${error.message}. Nothing was changed; correct the file first`)
    throw error
  }
}

/** The file that a link points to, so that the link stays one. */
function targetOf({ path, also = [] }: FileEdit): string {
  const used = [path, ...also].find((each) => lstatSync(each, { throwIfNoEntry: false }) !== undefined) ?? path
  const kind = lstatSync(used, { throwIfNoEntry: false })
  if (kind === undefined) return used
  if (kind.isSymbolicLink() && statSync(used, { throwIfNoEntry: false }) === undefined) {
    throw new UsageError(`${used} is a link to a file that does not exist. Nothing was changed; correct the link first`)
  }
  if (!statSync(used).isFile()) throw new UsageError(`${used} is not a file. Nothing was changed`)
  return realpathSync(used)
}

function contentOf(path: string): Buffer | null {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path)
}

/** A file in another encoding would lose characters. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new JsoncError('it is not UTF-8')
  }
}

export function isChange({ before, after }: Change): boolean {
  if (before === null || after === null) return before !== after
  return !before.equals(after)
}

/* ------------------------------------------------------------------ carrying out */

/** Writes the record first: an interrupted install can be taken back. If a file cannot be written, those before it are restored. */
export function install(program: Program, changes: readonly Change[], place: Place): void {
  const known = recordsOf(place, program)
  const records = changes
    .filter((each) => isChange(each) || known.some(({ path }) => path === each.path))
    .map((each) => {
      const old = known.find(({ path }) => path === each.path)
      const isOurs = old !== undefined && each.before !== null && hashOf(each.before) === old.after
      const after = hashOf(each.after ?? Buffer.alloc(0))
      if (isOurs) return { ...old, after }
      // The first install, or somebody has changed the file since: what is there now comes back, without our entries.
      const created = old?.created ?? missingAbove(each.path)
      return { path: each.path, before: each.clean?.toString('base64') ?? null, after, created }
    })
  const file = recordFile(place, program)
  writeAtomically(file, `${JSON.stringify({ files: records }, undefined, 2)}\n`, configMode)
  try {
    carryOut(changes)
  } catch (error) {
    if (known.length === 0) rmSync(file, { force: true })
    throw error
  }
}

export function uninstall(program: Program, changes: readonly Change[], place: Place): void {
  carryOut(changes)
  for (const { created } of recordsOf(place, program)) {
    for (const directory of created) removeIfEmpty(directory)
  }
  rmSync(recordFile(place, program), { force: true })
}

function carryOut(changes: readonly Change[]): void {
  const done: Change[] = []
  try {
    for (const each of changes.filter(isChange)) {
      write(each.path, each.after, each.mode)
      done.push(each)
    }
  } catch (error) {
    for (const { path, before, mode } of done.toReversed()) write(path, before, mode)
    throw error
  }
}

function write(path: string, content: Buffer | null, mode: number): void {
  if (content === null) rmSync(path, { force: true })
  else writeAtomically(path, content, mode)
}

function missingAbove(path: string): string[] {
  const missing: string[] = []
  for (let at = dirname(path); statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at)
  return missing
}

function removeIfEmpty(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() && readdirSync(directory).length === 0) {
    rmdirSync(directory)
  }
}

/* ------------------------------------------------------------------ records */

function recordFile(place: Place, { name }: Program): string {
  return join(place.records, `${name}.json`)
}

export function isInstalled(place: Place, program: Program): boolean {
  return objectIn(recordFile(place, program)) !== undefined
}

function recordsOf(place: Place, program: Program): FileRecord[] {
  const files = objectIn(recordFile(place, program))?.files
  // Written above. A damaged record only means that entries are removed one by one.
  return Array.isArray(files) ? (files as FileRecord[]) : []
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
