/**
 * Secrets that are recognised by what is written next to them: assignments, headers, addresses, and sentences about passwords.
 *
 * A personal memory is the place for the code of the alarm and the password of the guest network, so these stay. The line: a password is
 * redacted if it looks like one and nothing nearby says that it belongs to a place, a network or a meeting.
 */
import { isPlaceholder, isRandom } from './random-text.js'
import type { Secret } from './secret.js'

/** `https://ann:secret@host`: the password only. */
const address = /\b([a-z][a-z0-9+.-]{0,20}):\/\/[^\s/?#@:"'<>]{0,100}:([^\s/?#@"'<>]{3,200})@[\w.[\]-]/gi
const databases =
  /^(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|clickhouse|cockroachdb)/i
const header = /\b(bearer|basic|digest|ssws)\s{1,3}([\w.~+/-]{16,2000}={0,2})/gi
const netrc = /\bmachine\s{1,5}\S{1,200}\s{1,5}login\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(\S{1,200})/gi
/** The end of a name such as `DD_API_KEY`, and its value. */
const assignment =
  /(?:api|access|auth|app|account|signing|encryption|private|master|license|session)[ _-]?key|secret|token|credentials?/gi
const assigned =
  /(?:[_-]?[a-z]{2,12}){0,2}\d{0,3}["'`]?\s{0,3}(?:=>|:=|[:=]|\bis\b|\bwas\b)\s{0,3}["'`]?([^\s"'`,;<>{}()[\]]{16,400})/iy
/** The rest of a value that is longer. */
const more = /[^\s"'`,;<>{}()[\]]{0,4000}/y

const passwordWord = /pass(?:word|wd|phrase)|(?<![a-z])(?:pass|pwd?|passwort|contraseña|mot de passe)(?![a-z])/gi
/** "for the shop": what a password is for. */
const purpose = String.raw`(?:\s{1,2}(?:for|to|of|on|at|in)\s{1,2}(?:[\w.@'-]{1,40}\s{1,2}){1,5}?)?`
const verb = String.raw`\b(?:is|was|ist|to|changed to|reset to|set to|will be|should be)\b(?:\s{1,2}(?:now|still|just))?:?`
const value = String.raw`(["'${'`'}“‘]?)([^\s"'${'`'}”’<>]{4,200})`
const passwordValue = new RegExp(
  String.raw`(?:[_-]?[a-z]{2,12})?\d{0,2}["'${'`'}]?${purpose}\s{0,3}(?:=>|:=|[:=]|${verb})\s{0,3}${value}`,
  'iy',
)
const option = /(?:^|\s)--?(?:password|passwd|pass)[ =]["']?([^\s"']{4,200})/gi

/** A place, a network or a meeting: a password that people share on purpose. */
const shared = new RegExp(
  String.raw`\b(?:${[
    'wi-?fi|wlan|ssid|network|hotspot|internet|guests?',
    'door|gate|garage|alarm|safe|locker|padlock|lock|entry|entrance|building|flat|apartment|airbnb|hotel|cabin|cottage',
    'zoom|meeting|webinar|speakeasy|game|quest|puzzle',
  ].join('|')})`,
  'i',
)
/** An account of someone on a machine: its password is not shared, even if it is the account of a router. */
const account =
  /\b(?:log-?in|account|user ?name|admin|root|ssh|sudo|server|database|e-?mail|gmail|outlook|icloud|bank|paypal|vpn)\b/i
const login = /\b(?:log-?in|user(?: ?name)?|e-?mail|account|admin|root)\b/i

export function findCredentials(text: string): Secret[] {
  return [...addresses(text), ...headers(text), ...assignments(text), ...passwords(text)]
}

function* addresses(text: string): Generator<Secret> {
  if (!text.includes('://')) return
  for (const match of text.matchAll(address)) {
    const [, scheme = '', password = ''] = match
    if (isPlain(password)) continue
    const kind = databases.test(scheme) ? 'database password' : 'password in a URL'
    yield within(kind, text, match, password)
  }
}

function* headers(text: string): Generator<Secret> {
  for (const match of text.matchAll(header)) {
    const [, scheme = '', value = ''] = match
    const isBasic = scheme.toLowerCase() === 'basic'
    // Words may follow: "the bearer of-this-long-letter".
    if (isBasic ? isCredentialsInBase64(value) : isRandom(value)) {
      yield within(isBasic ? 'basic authentication' : 'bearer token', text, match, value)
    }
  }
  for (const match of text.matchAll(netrc)) {
    const [, value = ''] = match
    if (!isPlain(value)) yield within('password', text, match, value)
  }
  for (const match of text.matchAll(option)) {
    const [, value = ''] = match
    if (!isPlain(value) && !/^-/.test(value)) yield within('password', text, match, value)
  }
}

function* assignments(text: string): Generator<Secret> {
  let from = 0
  for (const match of text.matchAll(assignment)) {
    if (match.index < from) continue
    assigned.lastIndex = match.index + match[0].length
    const [, value = ''] = assigned.exec(text) ?? []
    if (!isRandom(value) || isPlaceholder(value) || isPlain(value)) continue
    const start = assigned.lastIndex - value.length
    more.lastIndex = assigned.lastIndex
    more.test(text)
    from = more.lastIndex
    yield { kind: /key/i.test(match[0]) ? 'API key' : 'secret token', start, end: from }
  }
}

function* passwords(text: string): Generator<Secret> {
  for (const match of text.matchAll(passwordWord)) {
    passwordValue.lastIndex = match.index + match[0].length
    const [, quote = '', written = ''] = passwordValue.exec(text) ?? []
    if (written === '') continue
    const ended = passwordValue.lastIndex
    const password = written.replace(/[.,;:!?)\]}]{1,9}$/, '')
    const start = ended - written.length
    const end = start + password.length
    // A call or an element in a program, and the hash of a password.
    if ((quote === '' && /[([]/.test(password)) || /hash/i.test(text.slice(match.index, start))) continue
    const before = text.slice(Math.max(0, match.index - 60), match.index)
    if (isShared(`${before}${text.slice(match.index, start)}`, text.slice(end, end + 40))) continue
    const isGiven = quote !== '' || (/[:=]\s{0,3}$/.test(text.slice(match.index, start)) && login.test(before))
    if (isPassword(password, isGiven)) yield { kind: 'password', start, end }
  }
}

/** Words in the same sentence only. */
function isShared(before: string, after: string): boolean {
  const sentence =
    `${before.split(/[.!?\n](?=\s|$)/).at(-1) ?? ''} ${after.split(/[.!?\n](?:\s|$)/, 1)[0] ?? ''}`.replace(/_/g, ' ')
  return shared.test(sentence) && !account.test(sentence)
}

/** @param isGiven - a quoted value, or one next to a user name, may be an ordinary word. */
function isPassword(value: string, isGiven: boolean): boolean {
  if (isPlain(value) || value.length < (isGiven ? 4 : 6)) return false
  if (isGiven) return true
  const hasDigit = /\d/.test(value)
  if (/^\d+$/.test(value)) return true
  // "8-12", "2/3" and "24/7" are figures.
  return /[a-z]/i.test(value) ? hasDigit || /[@#$%^&*!~+=|\\]/.test(value) : /[@#$%^&*!~+=|\\]/.test(value)
}

/** A variable, a placeholder, an address, or a mark that this service has set. */
function isPlain(value: string): boolean {
  return /^(?:[[<{(*$%]|\.\.|https?:)|^(.)\1*$|^(?:your|my|the|process\.|os\.|env\.|example|password|null|none|true|false|undefined)/i.test(
    value,
  )
}

function isCredentialsInBase64(value: string): boolean {
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{0,500}$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

/** The secret is the last occurrence of the value inside the match. */
function within(kind: string, text: string, match: RegExpExecArray, value: string): Secret {
  const start = text.lastIndexOf(value, match.index + match[0].length - value.length)
  return { kind, start, end: start + value.length }
}
