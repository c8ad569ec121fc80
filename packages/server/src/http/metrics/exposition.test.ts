import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exposition } from './exposition.js'
import { processSeries } from './process-series.js'

/** The format as specified: a name, labels with quoted and escaped values, a number. */
const sample =
  /^[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)+\})? (?:[-+]?\d[\d.e+-]*|NaN|[+-]Inf)$/

function expectFormat(text: string): void {
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.split('\n')) {
    if (line === '' || /^# (?:HELP|TYPE) [a-z0-9_]+ .+$/.test(line)) continue
    expect(line).toMatch(sample)
  }
}

describe('series', () => {
  it('are written with their help, type and values', () => {
    const series = exposition()
    const hits = series.counter('hits_total', 'Hits', ['door'])
    hits.add({ door: 'north' })
    hits.add({ door: 'north' }, 2)
    series.gauge('depth', 'Depth\nin "metres" \\').set({}, -1.5)
    expect(series.render()).toBe(
      [
        '# HELP hits_total Hits',
        '# TYPE hits_total counter',
        'hits_total{door="north"} 3',
        '',
        '# HELP depth Depth\\nin "metres" \\\\',
        '# TYPE depth gauge',
        'depth -1.5',
        '',
      ].join('\n'),
    )
  })

  it('of a histogram count each value in every bucket that it fits', () => {
    const series = exposition()
    const times = series.histogram('times', 'Times', ['route'], [0.1, 1])
    for (const value of [0.1, 0.05, 0.5, 7]) times.observe({ route: '/a' }, value)
    expect(series.render()).toBe(
      [
        '# HELP times Times',
        '# TYPE times histogram',
        'times_bucket{le="0.1",route="/a"} 2',
        'times_bucket{le="1",route="/a"} 3',
        'times_bucket{le="+Inf",route="/a"} 4',
        'times_sum{route="/a"} 7.65',
        'times_count{route="/a"} 4',
        '',
      ].join('\n'),
    )
  })

  it('keep the format for any label and value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.double(), (label, value) => {
        const series = exposition()
        series.gauge('g', 'help', ['a', 'b']).set({ a: label, b: 'x"y' }, value)
        series.histogram('h', 'help', ['a'], [1]).observe({ a: label }, value)
        expectFormat(series.render())
      }),
    )
  })
})

it('of the process have the names that dashboards for Node expect', async () => {
  const series = exposition()
  const read = processSeries(series)
  await read()
  await read()
  const text = series.render()
  expectFormat(text)
  const expected = [
    'process_cpu_user_seconds_total counter',
    'process_cpu_system_seconds_total counter',
    'process_cpu_seconds_total counter',
    'process_start_time_seconds gauge',
    'process_resident_memory_bytes gauge',
    'nodejs_eventloop_lag_seconds gauge',
    'nodejs_eventloop_lag_min_seconds gauge',
    'nodejs_eventloop_lag_max_seconds gauge',
    'nodejs_eventloop_lag_mean_seconds gauge',
    'nodejs_eventloop_lag_stddev_seconds gauge',
    'nodejs_eventloop_lag_p50_seconds gauge',
    'nodejs_eventloop_lag_p90_seconds gauge',
    'nodejs_eventloop_lag_p99_seconds gauge',
    'nodejs_active_resources gauge',
    'nodejs_heap_size_total_bytes gauge',
    'nodejs_heap_size_used_bytes gauge',
    'nodejs_external_memory_bytes gauge',
    'nodejs_heap_space_size_total_bytes gauge',
    'nodejs_heap_space_size_used_bytes gauge',
    'nodejs_heap_space_size_available_bytes gauge',
    'nodejs_version_info gauge',
    'nodejs_gc_duration_seconds histogram',
    ...(process.platform === 'linux'
      ? [
          'process_virtual_memory_bytes gauge',
          'process_heap_bytes gauge',
          'process_open_fds gauge',
          'process_max_fds gauge',
        ]
      : []),
  ]
  const told = [...text.matchAll(/^# TYPE (.+)$/gm)].map(([, each]) => each)
  expect(told.sort()).toEqual(expected.sort())
  const numberIn = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  expect(numberIn('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(Math.abs(numberIn('process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(3600)
  if (process.platform === 'linux') {
    expect(numberIn('process_open_fds')).toBeGreaterThan(2)
    expect(numberIn('process_virtual_memory_bytes')).toBeGreaterThan(numberIn('process_resident_memory_bytes'))
  }
})
