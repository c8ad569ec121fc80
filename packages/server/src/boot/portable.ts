/** Direct access to a store as records, for `keepsake export`, `import` and `migrate`, without the running service. */
import { databaseUrlProblem } from '../config/database-url.js'
import { systemClock } from '../core/clock.js'
import type { Filter } from '../core/filter.js'
import { userScope } from '../core/scope.js'
import { type PortableReader, PortableRefused, type PortableWriter } from '../storage/ports/portable.js'
import { openPostgresPortableReader } from '../storage/postgres/portable-read.js'
import { openPostgresPortableWriter } from '../storage/postgres/portable-write.js'
import { openSqlitePortableReader } from '../storage/sqlite/portable-read.js'
import { openSqlitePortableWriter } from '../storage/sqlite/portable-write.js'
import { openSqliteStorage } from '../storage/sqlite/sqlite-storage.js'

export type { Filter } from '../core/filter.js'
export { checksumOf } from '../core/memory.js'
export type { RedactedKind, SecretPolicy } from '../core/redacted-kind.js'
export { readFilterText } from '../http/body/read-filter.js'
export { ArchiveSecrets } from '../service/secrets/archive-secrets.js'
export {
  type PortableReader,
  type PortableRecord,
  PortableRefused,
  type PortableSelection,
  type PortableWriter,
  parsePortable,
  type RecordKind,
} from '../storage/ports/portable.js'

export type PortableStore =
  | { readonly dataDir: string }
  | { readonly databaseUrl: string; readonly partitions?: number }

/** One snapshot. `locked`: no service may use the data directory in the meantime. */
export async function openPortableReader(
  store: PortableStore,
  { locked = false }: { readonly locked?: boolean } = {},
): Promise<PortableReader> {
  if ('dataDir' in store) return openSqlitePortableReader({ dataDir: store.dataDir, locked })
  refuseOther(store.databaseUrl)
  return openPostgresPortableReader(store.databaseUrl)
}

/** A data directory must not be in use by a service; a database may be. */
export async function openPortableWriter(store: PortableStore): Promise<PortableWriter> {
  if ('dataDir' in store) return openSqlitePortableWriter(store.dataDir)
  refuseOther(store.databaseUrl)
  const { databaseUrl: url, partitions = 0 } = store
  return openPostgresPortableWriter({ url, partitions })
}

/** Erases all memories of these users that do not pass the filter, with everything that only they stated. */
export async function keepOnly(dataDir: string, userIds: readonly string[], filter: Filter): Promise<void> {
  const storage = await openSqliteStorage({ dataDir })
  try {
    for (const userId of userIds) {
      await storage.forget(userScope(userId), { filter: { field: 'not', part: filter } }, systemClock.now())
    }
  } finally {
    await storage.close()
  }
}

function refuseOther(url: string): void {
  const problem = databaseUrlProblem(url)
  if (problem !== undefined) throw new PortableRefused(`the database URL ${problem}`)
}
