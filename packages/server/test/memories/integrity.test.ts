/** Data on disk: modified text is not returned, erased text is gone, concurrent writers leave consistent data. */
import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { changeBehindItsBack, keptIn } from '../services/engine.js'
import { dayMs, startService, temporaryDirectory } from '../support/harness.js'

it('excludes a memory from recall if its content was modified on disk, and logs and counts it', async () => {
  const dataDir = await temporaryDirectory()
  const first = await startService({ dataDir })
  const tampered = await first.storeOne({ user_id: 'ana', content: 'The safe opens with seven turns' })
  const intact = await first.storeOne({ user_id: 'ana', content: 'The safe stands in the cellar' })
  await first.close()

  await changeBehindItsBack(dataDir, "UPDATE versions SET content = replace(content, 'seven', 'eight')")

  const second = await startService({ dataDir })
  const { memories, context } = await second.recall({ user_id: 'ana', query: 'The safe opens with eight turns' })
  expect(memories.map(({ id }) => id)).toEqual([intact.id])
  expect(context).not.toContain('turns')
  expect(second.logLines.some((line) => line.includes(tampered.id) && line.includes('checksum'))).toBe(true)
  second.forbidInLogs('eight turns')
  const metrics = await second.callRoot<string>('GET', '/metrics')
  expect(metrics.text).toMatch(/^keepsake_checksum_mismatches_total 1$/m)
  await second.close()
  await rm(dataDir, { recursive: true })
})

it('leaves no erased or purged text in the data directory', async () => {
  const dataDir = await temporaryDirectory()
  const service = await startService({ dataDir })
  const user_id = 'ana'
  const erased = await service.storeOne({
    user_id,
    content: 'Walrusbeard lives in Quillhaven',
    metadata: { note: 'Gloamfinch' },
  })
  await service.ok('PUT', `/memories/${erased.id}`, { body: { content: 'Walrusbeard moved to Zephyrtown' } })
  await service.store({ user_id, content: 'Purgeling waits in the hall', ttl: '1h' })
  await service.store({ user_id, content: 'Keepling stays for good' })
  service.clock.advance(dayMs)
  await service.ok('DELETE', '/memories', { body: { memory_ids: [erased.id] } })
  await service.ok('POST', '/cleanup-expired', { body: { user_id } })
  await service.close()
  const files = await keptIn(dataDir)
  expect(files.some(({ bytes }) => bytes.includes('Keepling'))).toBe(true)
  // Its id stays in the event log for a week, so that subscribers can delete it too.
  for (const word of ['Walrusbeard', 'walrusbeard', 'Quillhaven', 'Zephyrtown', 'Gloamfinch', 'Purgeling']) {
    const traces = files.filter(({ bytes }) => bytes.includes(word)).map(({ path }) => `${word} in ${path}`)
    expect(traces).toEqual([])
  }
  await rm(dataDir, { recursive: true })
})

it('handles concurrent stores, updates, recalls and deletions without errors, and ends consistent', async () => {
  const service = await startService()
  const user_id = 'busy'
  const one = async (index: number) => {
    const { id } = await service.storeOne({ user_id, content: `Order ${index} is for table t${index % 7}` })
    await Promise.all([
      service.ok('PUT', `/memories/${id}`, { body: { metadata: { index } } }),
      service.recall({ user_id, query: `Order ${index} table` }),
      service.list({ user_id }),
      service.ok('GET', '/entities', { query: { user_id } }),
      service.ok('GET', '/temporal/decay/report', { query: { user_id } }),
    ])
    if (index % 3 !== 0) return id
    await service.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
    return undefined
  }
  const kept = (await Promise.all(Array.from({ length: 60 }, (_, index) => one(index)))).filter(
    (id) => id !== undefined,
  )
  const { memories, total } = await service.list({ user_id, limit: 500 })
  expect(total).toBe(kept.length)
  expect(memories.map(({ id }) => id).sort()).toEqual([...kept].sort())
  await service.close()
})
