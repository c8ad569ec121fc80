/** The backup from `docs/deployment.md`, taken by the owner's role and restored into another database. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { masterKey, startService, temporaryDirectory } from '../support/harness.js'
import { findPrograms, makeDatabase, startPostgres } from './postgres.js'

const run = promisify(execFile)

it('restores all memories, histories and keys from a backup of a running service', async () => {
  const server = await startPostgres()
  const [from, to] = [await makeDatabase(server.url), await makeDatabase(server.url)]
  const first = await startService({ auth: true, env: { SERVICE_DATABASE_URL: from.url } })
  const { key } = await first.createKey('ana')
  first.useKey(key)
  const changed = await first.storeOne({ content: 'John Smith works at Acme Corp.' })
  await first.store({ content: 'I love hiking in the Alps' })
  await first.ok('PUT', `/memories/${changed.id}`, { body: { metadata: { checked: true } } })
  const before = await first.list()

  const { programs, libraries } = await findPrograms()
  const directory = await temporaryDirectory()
  const file = join(directory, 'keepsake.dump')
  const env = {
    ...process.env,
    ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}),
    PGOPTIONS: '-c keepsake.everyone=yes -c keepsake.keys=yes',
  }
  const dump = ['--enable-row-security', '--no-comments', '--format=custom', `--file=${file}`, from.url]
  await run(join(programs, 'pg_dump'), dump, { env })
  await first.store({ content: 'Said after the backup' })
  await run(join(programs, 'pg_restore'), ['--enable-row-security', '--no-owner', `--dbname=${to.url}`, file], { env })

  const second = await startService({ auth: true, clock: first.clock, env: { SERVICE_DATABASE_URL: to.url } })
  second.forbidInLogs(masterKey)
  second.useKey(key)
  expect(await second.list()).toEqual(before)
  const { memories } = await second.recall({ query: 'hiking' })
  expect(memories[0]?.content).toBe('I love hiking in the Alps')
  await second.store({ content: 'Written after the restore' })
  expect((await second.list()).total).toBe(before.total + 1)
  await second.close()
  await first.close()
  await rm(directory, { recursive: true })
  await server.close()
})
