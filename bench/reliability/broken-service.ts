/**
 * Copies of the built service that are broken on purpose, one way each: a fault test that finds nothing wrong with its copy
 * would find nothing wrong with the service either.
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
  /** Of the built service. */
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
    what: 'a delete is acknowledged first and done later',
    // Of commits that don't wait for the disk PostgreSQL brings nearly all there within 0.2 s: too few are lost to be sure of one.
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
    what: 'an update that failed is acknowledged',
    faults: ['disk-full', 'read-only', 'io-error'],
    engines: engineNames,
    file: 'boot/open.js',
    find: opened,
    // Looked for before: the database may be away after a failure.
    replace: broken(`const change = storage.update.bind(storage);
    storage.update = async (scope, id, to) => {
      const before = await storage.find(scope, id, { now: to.now });
      return change(scope, id, to).catch(() => before);
    };`),
  },
  {
    what: 'a lost database is tried again once a minute',
    faults: ['restart'],
    engines: ['postgres'],
    file: 'storage/postgres/postgres-storage.js',
    find: 'retryMs: 500,',
    replace: 'retryMs: 60_000,',
  },
  {
    what: 'a cleanup looks 40 days ahead',
    faults: ['clock'],
    engines: engineNames,
    file: 'boot/open.js',
    find: opened,
    replace: broken(`const purge = storage.purgeExpired.bind(storage);
    storage.purgeExpired = (scope, now) => purge(scope, now + 40 * 86_400_000);`),
  },
  {
    what: 'it leaves at once when asked to stop',
    faults: ['sigterm'],
    engines: engineNames,
    file: 'main.js',
    find: 'service.close(drainGraceMs).then(',
    replace: 'Promise.resolve().then(',
  },
]

export function breakable(fault: string, engine: EngineName): readonly Broken[] {
  return ways.filter((way) => way.faults.includes(fault) && way.engines.includes(engine))
}

/** A copy beside the built service, which finds its packages and models from there. */
export async function breakService(
  broken: Broken | undefined,
): Promise<{ readonly mainFile?: string; remove(): Promise<void> }> {
  if (broken === undefined) return { remove: async () => undefined }
  const built = dirname(builtService)
  const copy = `${built}-broken-${process.pid}`
  await rm(copy, { recursive: true, force: true })
  await promisify(execFile)('cp', ['-r', built, copy])
  const file = join(copy, broken.file)
  await writeFile(file, brokenText(broken, await readFile(file, 'utf8')))
  return { mainFile: join(copy, 'main.js'), remove: () => rm(copy, { recursive: true, force: true }) }
}

/** @throws where the service has changed, and what was to be broken is not there, or more than once. */
export function brokenText({ file, find, replace }: Broken, text: string): string {
  const times = text.split(find).length - 1
  if (times !== 1) throw new Error(`${file} has "${find}" ${times} times: it can't be broken there`)
  return text.replace(find, () => replace)
}
