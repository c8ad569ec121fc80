/** Computes hashes of a store's contents: one per user, waiting text, space, webhook and key. Stores with the same hashes have the same contents. */
import { createHash, type Hash } from 'node:crypto'
import { checksumOf, type PortableReader, type PortableRecord } from '@keepsake/server/portable'
import type { Progress } from '../progress.js'
import type { Counts } from './lines.js'

export interface Survey {
  /** Keyed by `user alice`, `pending doc_…`, `key key_…`. */
  readonly sums: ReadonlyMap<string, string>
  readonly userIds: readonly string[]
  readonly counts: Counts
  readonly mismatches: number
}

export const everything = { vectors: true, keys: true } as const

export async function survey(
  reader: PortableReader,
  progress: Progress,
  isWanted: (group: string) => boolean = () => true,
): Promise<Survey> {
  const sums = new Map<string, string>()
  const userIds: string[] = []
  const counts: Counts = {}
  let mismatches = 0
  let group: { readonly name: string; readonly hash: Hash } | undefined
  const close = () => {
    if (group) sums.set(group.name, group.hash.digest('hex'))
    group = undefined
  }
  for await (const record of reader.read(everything)) {
    progress.advance()
    const begins = groupOf(record)
    if (begins !== undefined) {
      close()
      group = { name: begins, hash: createHash('sha256') }
    }
    if (!group || !isWanted(group.name)) {
      group = undefined
      continue
    }
    group.hash.update(JSON.stringify(record)).update('\n')
    counts[record.record] = (counts[record.record] ?? 0) + 1
    if (record.record === 'user') userIds.push(record.id)
    if (record.record === 'version' && checksumOf(record.content) !== record.checksum) mismatches += 1
  }
  close()
  return { sums, userIds, counts, mismatches }
}

/** Undefined if the record belongs to the user before it. */
function groupOf(record: PortableRecord): string | undefined {
  switch (record.record) {
    case 'user':
    case 'pending':
    case 'space':
    case 'webhook':
    case 'key':
      return `${record.record} ${record.id}`
    default:
      return undefined
  }
}

export function sumOf({ sums }: Survey): string {
  const hash = createHash('sha256')
  for (const [name, sum] of sums) hash.update(JSON.stringify([name, sum]))
  return hash.digest('hex')
}

/** Names of the groups that are missing or different in the copy. */
export function differences(original: Survey, copy: Survey): string[] {
  return [...original.sums].filter(([name, sum]) => copy.sums.get(name) !== sum).map(([name]) => name)
}
