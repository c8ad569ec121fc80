/** Connects to a service: options first, then the environment, then the default address. */
import { Keepsake } from '@keepsake/client'
import { type Io, type Options, UsageError } from './command.js'

const defaultUrl = 'http://127.0.0.1:8787'

/** For commands that talk to a service. */
export const serviceOptions = {
  url: { type: 'string', value: 'URL', help: `address of the service; default KEEPSAKE_URL, or ${defaultUrl}` },
  'api-key': {
    type: 'string',
    value: 'KEY',
    help: 'API key; prefer KEEPSAKE_API_KEY, which other users can’t see',
  },
  timeout: { type: 'string', value: 'SECONDS', help: 'time limit per request, retries included; default 30' },
} as const satisfies Options

/** For commands that work on one user’s memories. */
export const connectionOptions = {
  ...serviceOptions,
  user: { type: 'string', value: 'ID', help: 'whose memories; default KEEPSAKE_USER, or the user of the key' },
  project: { type: 'string', value: 'NAME', help: 'which project; default KEEPSAKE_PROJECT' },
} as const satisfies Options

/** For commands that can work on the memories of a space. */
export const spaceOption = {
  space: { type: 'string', value: 'ID', help: 'the memories of this space instead of those of the user' },
} as const satisfies Options

export const jsonOption = {
  json: { type: 'boolean', help: 'print JSON on standard output, and nothing else' },
} as const satisfies Options

export interface ConnectionValues {
  readonly url?: string | undefined
  readonly 'api-key'?: string | undefined
  readonly timeout?: string | undefined
  readonly user?: string | undefined
  readonly space?: string | undefined
  readonly project?: string | undefined
}

export function urlOf(values: ConnectionValues, io: Io): string {
  return given('url', values.url) ?? set(io, 'KEEPSAKE_URL') ?? defaultUrl
}

export function apiKeyOf(values: ConnectionValues, io: Io): string | undefined {
  return given('api-key', values['api-key'])?.trim() ?? set(io, 'KEEPSAKE_API_KEY') ?? set(io, oldKeyName)
}

const oldKeyName = 'KEEPSAKE_KEY'

/** A remark for those who still use an old name; undefined if there is none to make. */
export function oldNameNote(io: Io): string | undefined {
  if (set(io, oldKeyName) === undefined || set(io, 'KEEPSAKE_API_KEY') !== undefined) return undefined
  return `${oldKeyName} is the old name of KEEPSAKE_API_KEY and still works; rename it`
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
      space: given('space', values.space),
      project: given('project', values.project) ?? set(io, 'KEEPSAKE_PROJECT'),
      timeoutMs: seconds * 1000,
      // If the answer to a store is lost, it can be sent again and still happens once.
      idempotent: true,
      fetch: io.fetch,
      clock: io.clock,
    })
  } catch (error) {
    // The client's messages name its own options. None of them contains a key.
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

/** An empty option is a mistake, such as an unset shell variable. It must not mean "everyone". */
function given(name: string, value: string | undefined): string | undefined {
  if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
  return value
}

/** An empty variable counts as not set. */
function set(io: Io, name: string): string | undefined {
  return io.env?.[name]?.trim() || undefined
}
