/** Compares the JSON answers pasted into the documentation with the answers of a running service. */

const elision = '…'

/**
 * Reads one or more JSON documents. Outside a string, `…` stands for any value, for the remaining fields of an object, or
 * for any number of items of a list.
 */
export function readAnswers(text: string): unknown[] {
  const open: string[] = []
  const json = text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}…]/g, (token, at: number) => {
    if (token === '[' || token === '{') open.push(token)
    if (token === ']' || token === '}') {
      open.pop()
      // A record separator ends each document.
      return open.length === 0 ? `${token}\u001e` : token
    }
    if (token !== elision) return token
    const isField = open.at(-1) === '{' && !/:\s*$/.test(text.slice(0, at))
    return isField ? '"…":"…"' : '"…"'
  })
  return json
    .split('\u001e')
    .filter((document) => document.trim() !== '')
    .map((document) => JSON.parse(document) as unknown)
}

/** Two texts are the same when they are equal after this: times, dates, request ids, versions and secrets differ from run to run. */
function withoutVolatile(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\d{4}-\d\d-\d\d/g, '<date>')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/ksk_[0-9a-z]{26}_(?:[\w-]{43}|…)/g, '<api key>')
    .replace(/^\d+\.\d+\.\d+$/, '<version>')
}

export const anId = /\b(?:mem|con|ent|rel|mrg|key|doc|spc)_[0-9a-z]{26}\b/g

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Scores and other fractions depend a little on the processor and on the time that has passed. */
const tolerance = 0.02

/**
 * Returns the answer in the words of the page: equal to `pasted` where the two agree. `ids` maps ids of the page to those of
 * this run, so an id that appears twice on the page must be one memory in both places.
 */
export function inWordsOfThePage(pasted: unknown, actual: unknown, ids: Map<string, string>): unknown {
  if (pasted === elision) return pasted
  if (Array.isArray(pasted) && Array.isArray(actual)) return list(pasted, actual, ids)
  if (isObject(pasted) && isObject(actual)) return object(pasted, actual, ids)
  if (typeof pasted === 'string' && typeof actual === 'string') return isSameText(pasted, actual, ids) ? pasted : actual
  if (typeof pasted === 'number' && typeof actual === 'number')
    return Number.isInteger(pasted - actual) || Math.abs(pasted - actual) >= tolerance ? actual : pasted
  return actual
}

function list(pasted: unknown[], actual: unknown[], ids: Map<string, string>): unknown[] {
  const cut = pasted.indexOf(elision)
  const atEnd = cut < 0 ? 0 : pasted.length - cut - 1
  const isShort = cut >= 0 && actual.length >= pasted.length - 1
  const first = isShort ? actual.slice(0, cut) : actual
  const last = isShort && atEnd > 0 ? actual.slice(-atEnd) : []
  return [
    ...first.map((item, at) => inWordsOfThePage(pasted[at], item, ids)),
    ...(isShort ? [elision] : []),
    ...last.map((item, at) => inWordsOfThePage(pasted[cut + 1 + at], item, ids)),
  ]
}

function object(pasted: Record<string, unknown>, actual: Record<string, unknown>, ids: Map<string, string>) {
  const shown = Object.entries(actual).filter(([name]) => name in pasted || !(elision in pasted))
  return {
    ...(elision in pasted ? { [elision]: elision } : {}),
    ...Object.fromEntries(
      shown.map(([name, value]) => [
        name,
        // Counts seconds since the start.
        name === 'uptime_seconds' ? pasted[name] : inWordsOfThePage(pasted[name], value, ids),
      ]),
    ),
  }
}

function isSameText(pasted: string, actual: string, ids: Map<string, string>): boolean {
  if (pasted.replace(anId, '') === '') {
    if (!ids.has(pasted)) ids.set(pasted, actual)
    return ids.get(pasted) === actual
  }
  const parts = withoutVolatile(pasted).split(elision)
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${escaped.join('.*')}$`, 's').test(withoutVolatile(actual))
}
