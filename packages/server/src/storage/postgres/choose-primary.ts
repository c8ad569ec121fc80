/**
 * Decides which of several hosts may be written to. Promoting a standby begins a new timeline, with a higher number. An old
 * primary that comes back is still on the lower one. See ADR 32.
 */
export interface HostAnswer {
  readonly host: string
  /** Equal on a primary and its standbys, different in every other cluster. */
  readonly system: string
  /** Of a standby, the newest timeline that it has followed. */
  readonly timeline: number
  /** When this server was started: tells one server under two names from two servers. */
  readonly started: string
  readonly isStandby: boolean
  /** `default_transaction_read_only`, by which operators fence a server. */
  readonly isReadOnly: boolean
}

/** What is known from before. */
export interface Known {
  readonly system: string
  readonly timeline: number
}

export type Choice =
  | { readonly kind: 'primary'; readonly answer: HostAnswer; readonly outdated: readonly HostAnswer[] }
  /** No host answers as the primary of the newest timeline. `outdated` are primaries of older ones. */
  | { readonly kind: 'none'; readonly outdated: readonly HostAnswer[] }
  /** Several accept writes, and nothing tells which one the others should follow. */
  | { readonly kind: 'several'; readonly answers: readonly HostAnswer[] }
  | { readonly kind: 'strangers'; readonly answers: readonly HostAnswer[] }

/** Hosts that do not answer are left out of `answers`. */
export function choosePrimary(answers: readonly HostAnswer[], known: Known | undefined): Choice {
  const systems = new Set([...answers.map(({ system }) => system), ...(known ? [known.system] : [])])
  if (systems.size > 1) return { kind: 'strangers', answers }
  const newest = Math.max(known?.timeline ?? 0, ...answers.map(({ timeline }) => timeline))
  const primaries = distinct(answers.filter(({ isStandby }) => !isStandby))
  const writable = primaries.filter(({ isReadOnly }) => !isReadOnly)
  // A primary that only reads is better than none: reads work, and writes fail with the reason.
  const accepted = writable.length > 0 ? writable : primaries
  const current = accepted.filter(({ timeline }) => timeline === newest)
  const outdated = accepted.filter(({ timeline }) => timeline < newest)
  const [answer, ...more] = current
  if (!answer) return { kind: 'none', outdated }
  const isFollowed = known?.timeline === newest
  if (more.length > 0 || (outdated.length > 0 && !isFollowed)) return { kind: 'several', answers: accepted }
  return { kind: 'primary', answer, outdated }
}

function distinct(answers: readonly HostAnswer[]): HostAnswer[] {
  return answers.filter((answer, index) => answers.findIndex(({ started }) => started === answer.started) === index)
}
