/** Turns a line of the log or of the audit log into one that people read on a terminal. */

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** Members that say nothing to a person who watches one process. */
const left = new Set(['pid', 'hostname', 'level', 'time', 'msg', 'err', 'event', 'prev_hash', 'hash', 'outcome'])

type Entry = Readonly<Record<string, unknown>>

/** `line` is one object of JSON. Anything else is shown as it is. The result ends with a line feed. */
export function textLine(line: string): string {
  const entry = parsed(line)
  if (entry === undefined) return `${visible(line)}\n`
  const { level, msg, event, outcome, err } = entry
  const label = typeof level === 'number' ? (levels[level] ?? String(level)) : 'audit'
  const what =
    typeof event === 'string' ? `${event}${outcome === 'success' ? '' : ` ${String(outcome)}`}` : String(msg ?? '')
  const text = msg === 'request' && typeof entry.route === 'string' ? requestText(entry) : withFields(what, entry)
  return `${timeOf(entry.time)}  ${label.padEnd(5)}  ${visible(text)}\n${errorText(err)}`
}

function parsed(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line)
    // An object of JSON has string keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** `POST /api/v1/store  200  35 ms` */
function requestText({ method, route, status, ms, request_id: requestId, key_id: keyId }: Entry): string {
  const failed = Number(status) >= 400 ? `  request_id=${String(requestId)}` : ''
  return `${String(method)} ${String(route)}  ${String(status)}  ${String(ms)} ms${keyId ? `  key_id=${String(keyId)}` : ''}${failed}`
}

function withFields(what: string, entry: Entry): string {
  const fields = Object.entries(entry)
    .filter(([name, value]) => !left.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [what, ...fields].join('  ')
}

/** The time of the machine, because a person compares it with a clock. */
function timeOf(time: unknown): string {
  const date = new Date(typeof time === 'number' || typeof time === 'string' ? time : Number.NaN)
  if (Number.isNaN(date.getTime())) return '--:--:--'
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown }
  const text = String(stack ?? message ?? '')
  return text === ''
    ? ''
    : `${text
        .split('\n')
        .map((line) => `    ${visible(line)}`)
        .join('\n')}\n`
}

/** Escapes characters that move the cursor, change colours or reverse text: a value of a request must not rewrite the terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
