/** The pages of a store, user by user: its current memories, without superseded, expired and flagged ones. */
import { checksumOf, type PortableReader, type PortableRecord, type PortableSelection } from '@keepsake/server/portable'
import { pagePath } from './names.js'
import { type MirrorMemory, pageText } from './page.js'

export interface MirrorOptions {
  readonly selection: PortableSelection
  readonly nowMs: number
  /** The content of a memory does not match its checksum; it is left out. */
  mismatch(id: string): void
}

export interface UserPages {
  readonly user: string
  readonly memories: number
  readonly flagged: number
  /** Path to text. */
  readonly pages: ReadonlyMap<string, string>
}

type Stored = Extract<PortableRecord, { record: 'memory' }>
type Version = Extract<PortableRecord, { record: 'version' }>

interface Shown {
  readonly project: string | null
  readonly memory: MirrorMemory
}

export async function* pagesOf(reader: PortableReader, options: MirrorOptions): AsyncGenerator<UserPages> {
  let user: string | undefined
  let stored: Stored | undefined
  let shown: Shown[] = []
  let flagged = 0
  for await (const record of reader.read(options.selection)) {
    if (record.record === 'user') {
      if (user !== undefined) yield userPages(user, shown, flagged)
      ;[user, shown, flagged] = [record.id, [], 0]
    } else if (record.record === 'memory') stored = record
    else if (record.record === 'version' && stored !== undefined && record.number === stored.current) {
      const isCurrent = isShown(stored, options)
      if (isCurrent && record.flagged) flagged += 1
      else if (isCurrent && checksumOf(record.content) !== record.checksum) options.mismatch(stored.id)
      else if (isCurrent) shown.push({ project: stored.project, memory: memoryOf(stored, record) })
    }
  }
  if (user !== undefined) yield userPages(user, shown, flagged)
}

function isShown(stored: Stored, { nowMs }: MirrorOptions): boolean {
  if (stored.superseded_at !== null || stored.withdrawn) return false
  return stored.expires_at === null || stored.expires_at > nowMs
}

function memoryOf({ id, source, created_at: created, expires_at: expires }: Stored, version: Version): MirrorMemory {
  const createdAt = timeOf(created)
  const updatedAt = timeOf(version.valid_from)
  return {
    id,
    createdAt,
    ...(updatedAt > createdAt ? { updatedAt } : {}),
    ...(expires === null ? {} : { expiresAt: timeOf(expires) }),
    source,
    metadata: version.metadata,
    content: version.content,
    ...(version.outdated === undefined ? {} : { outdated: version.outdated }),
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

function userPages(user: string, shown: readonly Shown[], flagged: number): UserPages {
  const groups = new Map<string, Shown[]>()
  for (const each of shown) {
    const path = pagePath(user, each.project, monthOf(each.memory.createdAt))
    const group = groups.get(path) ?? []
    group.push(each)
    groups.set(path, group)
  }
  const pages = new Map<string, string>()
  for (const [path, group] of groups) {
    const [first] = group
    if (first === undefined) continue
    const memories = group.map(({ memory }) => memory).sort(byTime)
    const month = monthOf(first.memory.createdAt)
    pages.set(path, pageText({ user, project: first.project, month, memories }))
  }
  return { user, memories: shown.length, flagged, pages }
}

function monthOf(time: string): string {
  return time.slice(0, time.indexOf('T') - 3).replace(/^\+/, '')
}

function byTime(one: MirrorMemory, other: MirrorMemory): number {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id) ? -1 : 1
}
