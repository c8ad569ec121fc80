/**
 * State shared by all pages. It lives only in memory and is gone when the tab closes: keys, names and queries are never written to
 * storage, cookies or the address.
 */
import { signal } from '@preact/signals'

/** Gives access to one user's memories. Undefined if authentication is off or nobody has signed in. */
export const apiKey = signal<string | undefined>(undefined)
/** Manages keys and gives no access to memories. */
export const masterKey = signal<string | undefined>(undefined)

/** The user of the API key, if known. */
export const keyOwner = signal<string | undefined>(undefined)

/** The user whose memories are shown if authentication is off. With an API key, it is the user of the key. */
export const userId = signal<string | undefined>(undefined)
/** Undefined for all projects. */
export const project = signal<string | undefined>(undefined)
/** The time that lists, searches and the graph show, in ISO 8601. Undefined for now. */
export const asOf = signal<string | undefined>(undefined)

/**
 * What the service requires.
 * - `unknown`: not connected yet; `open`: authentication is off; `keys`: a key is required.
 */
export const access = signal<'unknown' | 'open' | 'keys'>('unknown')

export type Theme = 'system' | 'light' | 'dark'
export const theme = signal<Theme>('system')

/** Read out by screen readers, for example the number of search results. */
export const announcement = signal('')

export function announce(text: string): void {
  // Screen readers do not read the same text twice in a row.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}

const noticeMs = 6000
/** Shown for a few seconds and read out after an action. */
export const notice = signal('')

export function notify(text: string): void {
  notice.value = text
  setTimeout(() => {
    if (notice.value === text) notice.value = ''
  }, noticeMs)
}

/** Increased after each change, so that open lists reload. */
export const revision = signal(0)

export function changed(): void {
  revision.value += 1
}
