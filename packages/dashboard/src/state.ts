/**
 * What pages share. All of it lives in memory and ends with the tab: keys, names and queries are never written into storage, a
 * cookie or the address.
 */
import { signal } from '@preact/signals'

/** Reaches one user's memories. Undefined where authentication is off, or nobody signed in yet. */
export const apiKey = signal<string | undefined>(undefined)
/** Manages keys, and reaches no memories. */
export const masterKey = signal<string | undefined>(undefined)

/** Whose the API key is, as far as the page came to know. */
export const keyOwner = signal<string | undefined>(undefined)

/** Whose memories, where authentication is off; an API key stands for its own user. */
export const userId = signal<string | undefined>(undefined)
/** Undefined: all projects. */
export const project = signal<string | undefined>(undefined)
/** The moment that lists, searches and the graph show, in ISO 8601. Undefined: now. */
export const asOf = signal<string | undefined>(undefined)

/**
 * What the service asks for.
 * - `unknown`: it was not reached yet; `open`: authentication is off; `keys`: it wants a key.
 */
export const access = signal<'unknown' | 'open' | 'keys'>('unknown')

export type Theme = 'system' | 'light' | 'dark'
export const theme = signal<Theme>('system')

/** Read out by screen readers: what a search found. */
export const announcement = signal('')

export function announce(text: string): void {
  // The same text twice would not be read twice.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}

const noticeMs = 6000
/** Seen for a while, and read out: what was done. */
export const notice = signal('')

export function notify(text: string): void {
  notice.value = text
  setTimeout(() => {
    if (notice.value === text) notice.value = ''
  }, noticeMs)
}

/** Raised after a change, so that open lists are read again. */
export const revision = signal(0)

export function changed(): void {
  revision.value += 1
}
