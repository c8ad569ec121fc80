/** Finds API keys, tokens, private keys and passwords in a text, and replaces them. `docs/security.md` says where the line is. */
import { findCredentials } from './credentials.js'
import { secretFormats } from './formats.js'
import { markOf } from './marks.js'
import { findPrivateKeys } from './private-keys.js'
import { isPlaceholder, isRandom } from './random-text.js'
import type { Secret } from './secret.js'

export interface Redacted {
  readonly text: string
  /** The kind of each secret that was replaced. */
  readonly kinds: readonly string[]
}

/** In the order of the text, without overlaps. The more specific kind wins. */
export function findSecrets(text: string): Secret[] {
  const byFormat = secretFormats.flatMap(({ kind, hints, expression }) =>
    hints.some((hint) => text.includes(hint))
      ? [...text.matchAll(expression)].flatMap(({ index, 0: value }) =>
          isPlaceholder(value) ? [] : [{ kind, start: index, end: index + value.length }],
        )
      : [],
  )
  const all = [...findPrivateKeys(text), ...byFormat, ...awsSecrets(text, byFormat), ...findCredentials(text)]
  return withoutOverlaps(all)
}

export function redactSecrets(text: string): Redacted {
  const secrets = findSecrets(text)
  if (secrets.length === 0) return { text, kinds: [] }
  const parts: string[] = []
  let from = 0
  for (const { kind, start, end } of secrets) {
    parts.push(text.slice(from, start), markOf(kind))
    from = end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), kinds: secrets.map(({ kind }) => kind) }
}

/** How far apart people paste the two halves of a key. */
const nearby = 300

/** The secret half of an AWS key has no prefix. It is recognised near the other half. */
function awsSecrets(text: string, found: readonly Secret[]): Secret[] {
  const ids = found.filter(({ kind }) => kind === 'AWS key')
  if (ids.length === 0) return []
  const secrets = text.matchAll(/(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g)
  let next = 0
  return [...secrets].flatMap(({ index, 0: value }) => {
    while ((ids[next]?.end ?? index) < index - nearby) next += 1
    const isNear = (ids[next]?.start ?? Number.POSITIVE_INFINITY) <= index + nearby
    return isNear && isRandom(value) ? [{ kind: 'AWS key', start: index, end: index + value.length }] : []
  })
}

function withoutOverlaps(secrets: readonly Secret[]): Secret[] {
  // Sorting is stable, so of two that start together the one found first wins.
  const sorted = [...secrets].sort((a, b) => a.start - b.start)
  const kept: Secret[] = []
  for (const secret of sorted) {
    const last = kept.at(-1)
    if (last === undefined || secret.start >= last.end) kept.push(secret)
    // A secret that reaches further must not leave its end behind.
    else if (secret.end > last.end) kept[kept.length - 1] = { ...last, end: secret.end }
  }
  return kept
}
