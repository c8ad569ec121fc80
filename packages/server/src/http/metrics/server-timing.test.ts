import { expect, it } from 'vitest'
import type { Meter } from '../../core/meter.js'
import { requestTimings } from './server-timing.js'

function recordingMeter(): Meter & { readonly seen: unknown[] } {
  const seen: unknown[] = []
  return {
    seen,
    stage: (name, ms) => seen.push(['stage', name, ms]),
    trustRejection: (kinds) => seen.push(['trustRejection', kinds]),
    secrets: (kind, outcome, count) => seen.push(['secrets', kind, outcome, count]),
    checksumMismatch: () => seen.push(['checksumMismatch']),
    degraded: (part) => seen.push(['degraded', part]),
  }
}

it('has the time of each stage, summed for a stage that ran twice', () => {
  const timings = requestTimings(recordingMeter())
  timings.meter.stage('embed', 8.25)
  timings.meter.stage('search', 1)
  timings.meter.stage('search', 0.5)
  expect(timings.header()).toBe('embed;dur=8.250, search;dur=1.500')
})

it('has no header if nothing was timed', () => {
  expect(requestTimings(recordingMeter()).header()).toBeUndefined()
})

it('also reports everything to the meter of the service', () => {
  const meter = recordingMeter()
  const timings = requestTimings(meter)
  timings.meter.stage('embed', 2)
  timings.meter.trustRejection(['override'])
  timings.meter.secrets('GitHub token', 'redacted', 2)
  timings.meter.checksumMismatch()
  timings.meter.degraded('rerank')
  expect(meter.seen).toEqual([
    ['stage', 'embed', 2],
    ['trustRejection', ['override']],
    ['secrets', 'GitHub token', 'redacted', 2],
    ['checksumMismatch'],
    ['degraded', 'rerank'],
  ])
})

it('omits a name that would break the header', () => {
  const timings = requestTimings(recordingMeter())
  timings.meter.stage('a;b\r\nx: y', 1)
  expect(timings.header()).toBeUndefined()
})
