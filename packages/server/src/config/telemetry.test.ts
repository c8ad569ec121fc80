import { describe, expect, it } from 'vitest'
import { traceSettingsOf } from './telemetry.js'

function read(values: Record<string, string>) {
  const warnings: string[] = []
  return { traces: traceSettingsOf(values, (warning) => void warnings.push(warning)), warnings }
}
const endpoint = 'http://127.0.0.1:4318'
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }

describe('the settings of OpenTelemetry', () => {
  it('record nothing unless an endpoint is set and nothing turns them off', () => {
    expect(read({}).traces).toBeUndefined()
    expect(read({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }).traces).toBeUndefined()
    expect(read({ ...on, OTEL_SDK_DISABLED: 'TRUE' }).traces).toBeUndefined()
    expect(read({ ...on, OTEL_TRACES_EXPORTER: 'none' }).traces).toBeUndefined()
    expect(read({ ...on, OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }).traces).toBeDefined()
  })

  it('append the path to the common endpoint, and take that of the traces as it is', () => {
    expect(read(on).traces).toMatchObject({
      endpoint: `${endpoint}/v1/traces`,
      headers: {},
      timeoutMs: 10_000,
      resource: { 'service.name': 'keepsake' },
      sampling: { isParentBased: true, ratio: 1 },
    })
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' }).traces?.endpoint).toBe(
      'https://c.example/otlp/v1/traces',
    )
    const own = { ...on, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example/spans' }
    expect(read(own).traces?.endpoint).toBe('https://c.example/spans')
  })

  it('read headers, resource attributes and the name', () => {
    const { traces, warnings } = read({
      ...on,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-team = a ,broken,=x',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=b',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test,bad=%',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    })
    expect(traces).toMatchObject({
      headers: { authorization: 'Basic YTpi', 'x-team': 'b' },
      resource: { 'service.name': 'other', 'deployment.environment.name': 'test' },
      timeoutMs: 500,
    })
    expect(warnings).toHaveLength(3)
    expect(
      read({ ...on, OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other' }).traces?.resource,
    ).toEqual({ 'service.name': 'mine' })
  })

  it.each([
    ['always_on', undefined, { isParentBased: false, ratio: 1 }],
    ['always_off', '1', { isParentBased: false, ratio: 0 }],
    ['traceidratio', '0.25', { isParentBased: false, ratio: 0.25 }],
    ['parentbased_always_off', undefined, { isParentBased: true, ratio: 0 }],
    ['parentbased_traceidratio', '0.1', { isParentBased: true, ratio: 0.1 }],
    ['parentbased_traceidratio', undefined, { isParentBased: true, ratio: 1 }],
  ])('know the sampler %s %s', (sampler, argument, sampling) => {
    const values = { ...on, OTEL_TRACES_SAMPLER: sampler, ...(argument ? { OTEL_TRACES_SAMPLER_ARG: argument } : {}) }
    expect(read(values)).toMatchObject({ traces: { sampling }, warnings: [] })
  })

  it('warn about what cannot be used, and never show a header', () => {
    const warned = (values: Record<string, string>) => read({ ...on, ...values }).warnings.join()
    expect(warned({ OTEL_TRACES_SAMPLER: 'constructor' })).toContain('OTEL_TRACES_SAMPLER:')
    expect(warned({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' })).toContain('SAMPLER_ARG')
    expect(warned({ OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' })).toContain('TIMEOUT')
    expect(read({ ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject({
      traces: undefined,
      warnings: [expect.stringContaining('grpc')],
    })
    for (const address of ['collector:4318', 'ftp://c', 'http://u:p@c']) {
      expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: address })).toMatchObject({
        traces: undefined,
        warnings: [expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT')],
      })
    }
    const remote = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.example', OTEL_EXPORTER_OTLP_HEADERS: 'key=hidden' }
    expect(warned(remote)).toContain('unencrypted')
    expect(warned(remote)).not.toContain('hidden')
  })
})
