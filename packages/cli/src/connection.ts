/** The way to a service: options first, then the environment, then the address that a service has out of the box. */
import { Keepsake } from '@keepsake/client'
import { type Io, type Options, UsageError } from './command.js'

const defaultUrl = 'http://127.0.0.1:8787'

/** For all that talks to a service. */
export const serviceOptions = {
  url: { type: 'string', value: 'URL', help: `where the service is; KEEPSAKE_URL, or ${defaultUrl}` },
  'api-key': { type: 'string', value: 'KEY', help: 'KEEPSAKE_API_KEY, which others on this machine can’t see' },
  timeout: { type: 'string', value: 'SECONDS', help: 'how long a request may take, repetitions included: 30' },
} as const satisfies Options

/** For all that is about one user’s memories. */
export const connectionOptions = {
  ...serviceOptions,
  user: { type: 'string', value: 'ID', help: 'whose memories; KEEPSAKE_USER, or the user of the key' },
  project: { type: 'string', value: 'NAME', help: 'which project; KEEPSAKE_PROJECT' },
} as const satisfies Options

export const jsonOption = {
  json: { type: 'boolean', help: 'JSON on standard output, and nothing else' },
} as const satisfies Options

export interface ConnectionValues {
  readonly url?: string | undefined
  readonly 'api-key'?: string | undefined
  readonly timeout?: string | undefined
  readonly user?: string | undefined
  readonly project?: string | undefined
}

export function urlOf(values: ConnectionValues, io: Io): string {
  return given('url', values.url) ?? set(io, 'KEEPSAKE_URL') ?? defaultUrl
}

export function apiKeyOf(values: ConnectionValues, io: Io): string | undefined {
  return given('api-key', values['api-key'])?.trim() ?? set(io, 'KEEPSAKE_API_KEY')
}

export function userOf(values: ConnectionValues, io: Io): string | undefined {
  return given('user', values.user) ?? set(io, 'KEEPSAKE_USER')
}

export function connect(values: ConnectionValues, io: Io): Keepsake {
  const seconds = timeoutOf(values.timeout)
  try {
    return new Keepsake({
      url: urlOf(values, io),
      apiKey: apiKeyOf(values, io),
      userId: userOf(values, io),
      project: given('project', values.project) ?? set(io, 'KEEPSAKE_PROJECT'),
      timeoutMs: seconds * 1000,
      // A store whose answer was lost may be sent again, and happens once.
      idempotent: true,
      fetch: io.fetch,
      clock: io.clock,
    })
  } catch (error) {
    // The client's own words name its options; none of them shows a key.
    if (error instanceof TypeError) throw new UsageError(optionNames(error.message), { cause: error })
    throw error
  }
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return 30
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0) return seconds
  throw new UsageError('--timeout takes a number of seconds')
}

function optionNames(message: string): string {
  return message.replace(/^url\b/, '--url (or KEEPSAKE_URL)').replace(/^apiKey\b/, '--api-key (or KEEPSAKE_API_KEY)')
}

/** An option that is given and empty is a slip, of a variable that is not set for instance; it must not mean everyone. */
function given(name: string, value: string | undefined): string | undefined {
  if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
  return value
}

/** An empty variable counts as not set. */
function set(io: Io, name: string): string | undefined {
  return io.env?.[name]?.trim() || undefined
}
