/**
 * The settings of OpenTelemetry that Keepsake knows (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 * They are often set for all programs of a machine, so a value that cannot be used is a warning, and not an error.
 */
import { isLoopback } from '../core/loopback.js'
import type { Environment } from './setting-values.js'

export interface TraceSettings {
  /** With `/v1/traces`. */
  readonly endpoint: string
  /** May contain keys: never shown. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** How long spans wait for others before they are sent. */
  readonly intervalMs: number
  readonly resource: Readonly<Record<string, string>>
  readonly sampling: { readonly isParentBased: boolean; readonly ratio: number }
}

type Warn = (warning: string) => void

/** Undefined: no spans are recorded. */
export function traceSettingsOf(values: Environment, warn: Warn): TraceSettings | undefined {
  const read = (name: string) => values[name]?.trim() || undefined
  const isDisabled = /^true$/i.test(read('OTEL_SDK_DISABLED') ?? '')
  const endpoint = isDisabled ? undefined : endpointOf(read, warn)
  if (endpoint === undefined) return undefined
  const sampler = read('OTEL_TRACES_SAMPLER')?.toLowerCase() ?? 'parentbased_always_on'
  if (read('OTEL_TRACES_EXPORTER') !== undefined && !/\botlp\b/.test(read('OTEL_TRACES_EXPORTER') ?? ''))
    return undefined
  const headers = {
    ...pairsOf(read, 'OTEL_EXPORTER_OTLP_HEADERS', warn),
    ...pairsOf(read, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', warn),
  }
  const { protocol, hostname } = new URL(endpoint)
  if (protocol === 'http:' && Object.keys(headers).length > 0 && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')))
    warn('OTEL_EXPORTER_OTLP_HEADERS: http sends these headers unencrypted')
  const attributes = pairsOf(read, 'OTEL_RESOURCE_ATTRIBUTES', warn)
  const name = read('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'keepsake'
  return {
    endpoint,
    headers,
    timeoutMs: millisecondsOf(
      read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? read('OTEL_EXPORTER_OTLP_TIMEOUT'),
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      10_000,
      warn,
    ),
    intervalMs: millisecondsOf(read('OTEL_BSP_SCHEDULE_DELAY'), 'OTEL_BSP_SCHEDULE_DELAY', 5_000, warn),
    resource: { ...attributes, 'service.name': name },
    sampling: samplingOf(sampler, read('OTEL_TRACES_SAMPLER_ARG'), warn),
  }
}

function endpointOf(read: (name: string) => string | undefined, warn: Warn): string | undefined {
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const given = own ?? common?.replace(/\/?$/, '/v1/traces')
  if (given === undefined) return undefined
  const spoken = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (spoken === 'grpc') {
    warn('OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported, so no spans are exported; use http/json')
    return undefined
  }
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    warn(`${name}: must be an http or https address without a password, so no spans are exported`)
    return undefined
  }
  return url.href
}

const samplers: Readonly<Record<string, { readonly isParentBased: boolean; readonly ratio?: number }>> = {
  always_on: { isParentBased: false, ratio: 1 },
  always_off: { isParentBased: false, ratio: 0 },
  traceidratio: { isParentBased: false },
  parentbased_always_on: { isParentBased: true, ratio: 1 },
  parentbased_always_off: { isParentBased: true, ratio: 0 },
  parentbased_traceidratio: { isParentBased: true },
}

function samplingOf(name: string, argument: string | undefined, warn: Warn): TraceSettings['sampling'] {
  const known = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  if (known === undefined) warn('OTEL_TRACES_SAMPLER: unknown sampler; parentbased_always_on is used')
  const { isParentBased, ratio: fixed } = known ?? { isParentBased: true, ratio: 1 }
  if (fixed !== undefined) return { isParentBased, ratio: fixed }
  const ratio = Number(argument ?? 1)
  if (ratio >= 0 && ratio <= 1) return { isParentBased, ratio }
  warn('OTEL_TRACES_SAMPLER_ARG: must be from 0 to 1; 1 is used')
  return { isParentBased, ratio: 1 }
}

function millisecondsOf(text: string | undefined, name: string, usual: number, warn: Warn): number {
  const ms = text === undefined ? usual : Math.round(Number(text))
  if (ms >= 1 && ms <= 600_000) return ms
  warn(`${name}: must be from 1 to 600000 milliseconds; ${usual} is used`)
  return usual
}

/** `key=value,key2=value2`, with percent-encoded values. Entries that cannot be read are left out. */
function pairsOf(read: (name: string) => string | undefined, name: string, warn: Warn): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const entry of (read(name) ?? '').split(',').filter((text) => text.trim() !== '')) {
    const at = entry.indexOf('=')
    const key = entry.slice(0, Math.max(0, at)).trim()
    const value = decoded(entry.slice(at + 1).trim())
    if (/^[\w!#$%&'*+.^`|~/-]{1,256}$/.test(key) && value !== undefined && /^[\x20-\x7e\x80-\uffff]*$/.test(value))
      pairs[key] = value
    else warn(`${name}: an entry is not key=value, and is left out`)
  }
  return pairs
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // A lone percent sign.
    return undefined
  }
}
