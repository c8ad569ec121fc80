/**
 * Limits an export to the memories that pass a filter: copies the store into a temporary directory and erases the rest there. So the
 * archive has nothing that only other memories stated, such as names, merges and relationships.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Filter,
  keepOnly,
  openPortableReader,
  openPortableWriter,
  type PortableReader,
  type PortableSelection,
} from '@keepsake/server/portable'
import { RecordBatches } from './record-batches.js'

/** Closing the reader removes the copy. */
export async function openNarrowed(
  source: PortableReader,
  selection: PortableSelection,
  filter: Filter,
): Promise<PortableReader> {
  // Only this user can read it.
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-export-'))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  try {
    const users = await copyInto(dataDir, source, selection)
    await keepOnly(dataDir, users, filter)
    const reader = await openPortableReader({ dataDir })
    const close = async () => {
      await reader.close()
      await remove()
    }
    return { existing: reader.existing, count: reader.count, read: reader.read, close }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Returns the ids of the users. Texts that are not stored yet are no memories. */
async function copyInto(dataDir: string, source: PortableReader, selection: PortableSelection): Promise<string[]> {
  const users: string[] = []
  const writer = await openPortableWriter({ dataDir })
  try {
    const batches = new RecordBatches(writer, await writer.begin('narrowed'))
    for await (const record of source.read(selection)) {
      if (record.record === 'pending') continue
      if (record.record === 'user') users.push(record.id)
      await batches.add(record)
    }
    await batches.flush()
    await writer.finish()
  } finally {
    await writer.close()
  }
  return users
}
