import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { spreadOf } from '../src/bench/spread.js'
import { keepsake } from './in-process.js'

let service: RealService
beforeAll(async () => {
  service = await startRealService()
})
afterAll(() => service.close())

describe('keepsake bench', () => {
  it('measures a service, describes the machine, and leaves nothing behind', async () => {
    await service.store({ user_id: 'keepsake-bench', content: 'I was here before.' })
    const args = ['bench', '--stores', '4', '--recalls', '3']
    const { code, output, errors } = await keepsake(args, { env: { KEEPSAKE_URL: service.url } })
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(/ cores, \d+ GB, .*, Node \d+\.\d+/)
    expect(output).toContain(`${service.url}, Keepsake 0.1.0`)
    expect(output).toMatch(/\nstore +4( +\d+\.\d){5}\nrecall +3( +\d+\.\d){5}\n$/)
    const left = (await service.list({ user_id: 'keepsake-bench' })).memories
    expect(left.map(({ content }) => content)).toEqual(['I was here before.'])
  })

  it('does not count requests that hit a rate limit', async () => {
    let refusals = 2
    const limited: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/store') || refusals === 0) return fetch(input, init)
      refusals -= 1
      const error = { code: 'rate_limit_exceeded', message: 'Too many requests', request_id: 'r' }
      return Response.json({ error }, { status: 429, headers: { 'retry-after': '1' } })
    }
    const args = ['bench', '--json', '--stores', '2', '--recalls', '1', '--user', 'ana']
    const { output } = await keepsake(args, { env: { KEEPSAKE_URL: service.url }, fetch: limited })
    expect(JSON.parse(output)).toMatchObject({ store: { count: 2 }, recall: { count: 1 }, waited_for_limits: 2 })
  })

  it('reports percentiles that were actually measured', () => {
    const times = Array.from({ length: 100 }, (_, at) => 100 - at)
    expect(spreadOf(times)).toMatchObject({ count: 100, p50: 50, p95: 95, p99: 99, max: 100 })
    expect(spreadOf([7])).toMatchObject({ p50: 7, p99: 7, max: 7 })
    expect(spreadOf([])).toMatchObject({ count: 0, max: 0, perSecond: 0 })
  })
})
