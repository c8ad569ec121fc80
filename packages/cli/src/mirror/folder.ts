/**
 * The folder of a mirror. A file in it lists the pages that the mirror wrote: only these are ever replaced or removed, and the list is
 * on disk before the first page is. So an interrupted export leaves nothing that the next one would not know.
 */
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../command.js'
import { isPagePath } from './names.js'

/** What the mirror shows. The next export must show the same, or it would remove pages that it merely did not select. */
export interface MirrorSelection {
  readonly user: string | null
  readonly project: string | null
  readonly where: string | null
}

export interface MirrorCounts {
  written: number
  unchanged: number
  removed: number
}

interface Mark {
  readonly keepsake_mirror: 1
  readonly selection: MirrorSelection
  readonly pages: readonly string[]
}

const markName = '.keepsake-mirror.json'
const leftover = /^\.keepsake-mirror-[0-9a-f-]{36}\.part$/

export class MirrorFolder {
  readonly counts: MirrorCounts = { written: 0, unchanged: 0, removed: 0 }
  readonly #root: string
  readonly #selection: MirrorSelection
  /** Pages on disk, or about to be. */
  readonly #known: Set<string>
  readonly #shown = new Set<string>()

  private constructor(root: string, selection: MirrorSelection, pages: readonly string[]) {
    this.#root = root
    this.#selection = selection
    this.#known = new Set(pages)
  }

  static async open(path: string, selection: MirrorSelection): Promise<MirrorFolder> {
    const root = resolve(path)
    await mkdir(root, { recursive: true, mode: 0o700 })
    const mark = await markIn(root)
    if (mark !== undefined && !isSame(mark.selection, selection)) {
      throw new UsageError(`${path} mirrors ${sayOf(mark.selection)}: choose another folder for ${sayOf(selection)}`)
    }
    for (const name of await readdir(root)) if (leftover.test(name)) await rm(join(root, name), { force: true })
    return new MirrorFolder(root, selection, mark?.pages ?? [])
  }

  /** Writes the pages that changed. Refuses before the first write if one has the name of somebody else's file. */
  async put(pages: ReadonlyMap<string, string>): Promise<void> {
    for (const path of pages.keys()) await this.#refuseForeign(path)
    const before = this.#known.size
    for (const path of pages.keys()) {
      this.#known.add(path)
      this.#shown.add(path)
    }
    if (this.#known.size > before) await this.#saveMark(this.#known)
    for (const [path, text] of pages) {
      if ((await textAt(join(this.#root, path))) === text) this.counts.unchanged += 1
      else {
        await mkdir(dirname(join(this.#root, path)), { recursive: true, mode: 0o700 })
        await this.#write(path, text)
        this.counts.written += 1
      }
    }
  }

  /** Removes the pages that have no memories any more, and folders that became empty. */
  async finish(): Promise<MirrorCounts> {
    for (const path of this.#known) {
      if (this.#shown.has(path) || (await this.#isLinked(path))) continue
      await rm(join(this.#root, path), { force: true })
      this.counts.removed += 1
      await removeEmpty(dirname(join(this.#root, path)))
      await removeEmpty(dirname(dirname(join(this.#root, path))))
    }
    await this.#saveMark(this.#shown)
    return this.counts
  }

  async #refuseForeign(path: string): Promise<void> {
    if (await this.#isLinked(path)) {
      throw new UsageError(`${path} is a link, or in one: a mirror does not write through links`)
    }
    if (!this.#known.has(path) && (await textAt(join(this.#root, path))) !== undefined) {
      throw new UsageError(`${path} already exists and is not of this mirror: move it, or choose another folder`)
    }
  }

  async #isLinked(path: string): Promise<boolean> {
    const parts = path.split('/')
    for (let count = 1; count <= parts.length; count += 1) {
      const stats = await statOf(join(this.#root, ...parts.slice(0, count)))
      if (stats?.isSymbolicLink()) return true
    }
    return false
  }

  async #saveMark(pages: ReadonlySet<string>): Promise<void> {
    const mark: Mark = { keepsake_mirror: 1, selection: this.#selection, pages: [...pages].sort() }
    const text = `${JSON.stringify(mark, null, 2)}\n`
    if ((await textAt(join(this.#root, markName))) !== text) await this.#write(markName, text)
  }

  /** Under another name first: a reader never sees half a page. */
  async #write(path: string, text: string): Promise<void> {
    const part = join(this.#root, `.keepsake-mirror-${randomUUID()}.part`)
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.close()
      await rename(part, join(this.#root, path))
    } catch (error) {
      await file.close()
      await rm(part, { force: true })
      throw error
    }
  }
}

/** Whether an earlier export with the same options wrote the folder. */
export async function isMirrorOf(path: string, selection: MirrorSelection): Promise<boolean> {
  const mark = await markIn(resolve(path))
  return mark !== undefined && isSame(mark.selection, selection)
}

function isSame(one: MirrorSelection, other: MirrorSelection): boolean {
  return one.user === other.user && one.project === other.project && one.where === other.where
}

function sayOf({ user, project, where }: MirrorSelection): string {
  const parts = [
    ...(user === null ? [] : [`the user ${JSON.stringify(user)}`]),
    ...(project === null ? [] : [`the project ${JSON.stringify(project)}`]),
    ...(where === null ? [] : [`the filter ${where}`]),
  ]
  return parts.length === 0 ? 'all users' : parts.join(' and ')
}

async function markIn(root: string): Promise<Mark | undefined> {
  const text = await textAt(join(root, markName))
  if (text === undefined) return undefined
  const mark = parsed(text)
  if (mark === undefined)
    throw new UsageError(`${markName} in ${root} can’t be read: restore it, or choose another folder`)
  return mark
}

function parsed(text: string): Mark | undefined {
  try {
    const { keepsake_mirror: format, selection, pages } = JSON.parse(text)
    const isKnown = format === 1 && typeof selection === 'object' && selection !== null && Array.isArray(pages)
    if (!isKnown || !pages.every((path: unknown) => typeof path === 'string' && isPagePath(path))) return undefined
    const { user = null, project = null, where = null } = selection
    return { keepsake_mirror: 1, selection: { user, project, where }, pages }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Undefined if there is no file. */
async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

async function statOf(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
