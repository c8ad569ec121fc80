/**
 * Copies of the built service that are sabotaged in one way each: a fault test that does not detect its sabotaged copy
 * would not detect the same fault in the service either.
 */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { builtService } from '../service-process.js'
import { type EngineName, engineNames } from './fault.js'

export interface Broken {
  readonly what: string
  readonly faults: readonly string[]
  readonly engines: readonly EngineName[]
  /** Path in the built service. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

const opened = 'await openStorage(config, dataDir, logger, overrides.startStorageThread)'
const broken = (how: string) => `${opened}.then((storage) => {
    ${how}
    return storage;
  })`

export const ways: readonly Broken[] = [
  {
    what: 'a delete is acknowledged before it is done',
    // PostgreSQL writes nearly all commits that do not wait for the disk within 0.2 s, so too few would be lost to
    // detect this reliably.
    faults: ['kill', 'power'],
    engines: engineNames,
    file: 'boot/open.js',
    find: opened,
    replace: broken(`const erase = storage.forget.bind(storage);
    storage.forget = async (scope, what) => {
      setTimeout(() => erase(scope, what).catch(() => undefined), 2000);
      return what.memoryIds.map((memoryId) => ({ userId: scope.userId, memoryId }));
    };`),
  },
  {
    what: 'SQLite does not wait for the disk',
    faults: ['power', 'fsync'],
    engines: ['sqlite'],
    file: 'storage/sqlite/database.js',
    find: 'PRAGMA synchronous = FULL',
    replace: 'PRAGMA synchronous = OFF',
  },
  {
    what: 'a commit does not wait for the disk',
    faults: ['fsync'],
    engines: ['postgres'],
    file: 'storage/postgres/connection.js',
    find: "application_name: 'keepsake',",
    replace: "application_name: 'keepsake', synchronous_commit: 'off',",
  },
  {
    what: 'a failed update is acknowledged',
    faults: ['disk-full', 'read-only', 'io-error'],
    engines: engineNames,
    file: 'boot/open.js',
    find: opened,
    // Resolved in advance, because the database may be unavailable after a failure.
    replace: broken(`const change = storage.update.bind(storage);
    storage.update = async (scope, id, to) => {
      const before = await storage.find(scope, id, { now: to.now });
      return change(scope, id, to).catch(() => before);
    };`),
  },
  {
    what: 'a lost database connection is retried only once a minute',
    faults: ['restart', 'failover'],
    engines: ['postgres'],
    file: 'storage/postgres/postgres-storage.js',
    find: 'retryMs: 500,',
    replace: 'retryMs: 60_000,',
  },
  {
    what: 'a commit does not wait for the standby',
    faults: ['failover'],
    engines: ['postgres'],
    file: 'storage/postgres/connection.js',
    find: "application_name: 'keepsake',",
    replace: "application_name: 'keepsake', synchronous_commit: 'local',",
  },
  {
    what: 'the first host that accepts writes is the primary',
    faults: ['failover'],
    engines: ['postgres'],
    file: 'storage/postgres/choose-primary.js',
    find: 'const current = accepted.filter(({ timeline }) => timeline === newest);',
    replace: 'if (accepted[0]) return { kind: "primary", answer: accepted[0], outdated: [] }; const current = [];',
  },
  {
    what: 'a cleanup also purges memories that expire within 40 days',
    faults: ['clock'],
    engines: engineNames,
    file: 'boot/open.js',
    find: opened,
    replace: broken(`const purge = storage.purgeExpired.bind(storage);
    storage.purgeExpired = (scope, now) => purge(scope, now + 40 * 86_400_000);`),
  },
  {
    what: 'it exits immediately when asked to stop',
    faults: ['sigterm'],
    engines: engineNames,
    file: 'boot/program.js',
    find: 'service.close(drainGraceMs).then(',
    replace: 'Promise.resolve().then(',
  },
]

export function breakable(fault: string, engine: EngineName): readonly Broken[] {
  return ways.filter((way) => way.faults.includes(fault) && way.engines.includes(engine))
}

/** A copy next to the built service, where it finds its packages and models. */
export async function breakService(
  broken: Broken | undefined,
): Promise<{ readonly mainFile?: string; remove(): Promise<void> }> {
  if (broken === undefined) return { remove: async () => undefined }
  const built = dirname(builtService)
  const copy = `${built}-broken-${process.pid}`
  await rm(copy, { recursive: true, force: true })
  await promisify(execFile)('cp', ['-r', built, copy])
  // The copy must run its own modules.
  await rm(join(copy, 'bundle'), { recursive: true, force: true })
  const file = join(copy, broken.file)
  await writeFile(file, brokenText(broken, await readFile(file, 'utf8')))
  return { mainFile: join(copy, 'main.js'), remove: () => rm(copy, { recursive: true, force: true }) }
}

/** @throws if the service has changed and the text to replace is missing or not unique. */
export function brokenText({ file, find, replace }: Broken, text: string): string {
  const times = text.split(find).length - 1
  if (times !== 1) throw new Error(`${file} contains "${find}" ${times} times: it can't be sabotaged there`)
  return text.replace(find, () => replace)
}
