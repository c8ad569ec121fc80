/** Reads from a standby: always what the primary would have answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { userScope } from '../../src/core/scope.js'
import { Notebook, start } from '../../src/storage/contract/notebook.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { startPair } from './postgres-pair.js'

const alice = userScope('alice')

it('reads from a standby, but never less than was committed before, and from the primary when the standby is gone', async () => {
  const pair = await startPair()
  const storage = await openPostgresStorage({ url: pair.url, poolSize: 4, readFromStandbys: true })
  const standby = pair.standby().asAdmin('keepsake')
  try {
    const write = (content: string) => new Notebook(storage).store(alice, { content })
    const contents = async () =>
      (await storage.list(alice, { now: start, limit: 500 })).items.map(({ content }) => content)
    await write('first')
    // Its last statement shows that a transaction of the service ran there. The time limit of the test ends the wait.
    const readsThere = () =>
      standby`SELECT 1 FROM pg_stat_activity WHERE application_name = 'keepsake' AND query = 'COMMIT'`
    while ((await readsThere()).length === 0) {
      expect(await contents()).toEqual(['first'])
      await sleep(50)
    }
    await standby`SELECT pg_wal_replay_pause()`
    for (let number = 0; number < 5; number++) {
      await write(`while the standby lags ${number}`)
      expect(await contents()).toContain(`while the standby lags ${number}`)
    }
    await standby`SELECT pg_wal_replay_resume()`
    expect(await contents()).toHaveLength(6)
    await standby.end()
    await pair.standby().destroy()
    for (let number = 0; number < 5; number++) expect(await contents()).toHaveLength(6)
  } finally {
    await standby.end()
    await storage.close()
    await pair.close()
  }
})
