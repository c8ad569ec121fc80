/** A small flood of invalid keys. `npm run bench:flood` measures how it slows down valid users. */
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ErrorAnswer, ListAnswer } from '../support/contract.js'
import { startService } from '../support/harness.js'

it('serves known and new users during a flood of invalid keys, and refuses the flood with 401, 429 or 503', async () => {
  const service = await startService({
    auth: true,
    holdFailures: true,
    env: { SERVICE_RATE_LIMIT_ENABLED: 'true' },
  })
  const known = await service.createKey('known')
  const fresh = await service.createKey('fresh')
  const stored = await service.storeOne({ content: 'The lighthouse is white' }, { key: known.key, ip: '198.51.100.1' })
  const badKey = (index: number) => {
    const secret = randomBytes(32).toString('base64url')
    const bad = [
      `${known.key.slice(0, -43)}${secret}`,
      `${fresh.key.slice(0, -1)}${fresh.key.endsWith('A') ? 'E' : 'A'}`,
      `ksk_01h455vb4pex5vsknk084sn02q_${secret}`,
      `nonsense ${secret}`,
    ]
    return bad[index % bad.length] ?? ''
  }
  const flood = Array.from({ length: 300 }, (_, index) =>
    service.call<ErrorAnswer>('GET', '/memories', { key: badKey(index), ip: `203.0.113.${index % 12}` }),
  )
  for (let round = 0; round < 10; round += 1) {
    const { memories } = await service.list({}, { key: known.key, ip: '198.51.100.1' })
    expect(memories.map(({ id }) => id)).toEqual([stored.id])
  }
  // The first request of this key needs a bcrypt comparison, which must not queue behind the flood.
  const newcomer = await service.call<ListAnswer>('GET', '/memories', { key: fresh.key, ip: '198.51.100.2' })
  expect(newcomer).toMatchObject({ status: 200, body: { total: 0 } })
  const answers = await Promise.all(flood)
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].filter((status) => ![401, 429, 503].includes(status))).toEqual([])
  expect(statuses).toContain(401)
  for (const { status, headers, body } of answers) {
    if (status === 401) expect(body.error.code).toBe('authentication_error')
    else expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    if (status === 503) expect(body.error.code).toBe('unavailable')
  }
  await service.close()
})
