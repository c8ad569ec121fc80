import { signal } from '@preact/signals'
import { pages } from './pages.ts'
import { navigate } from './route.ts'
import { nextTheme } from './theme.ts'

export const helpOpen = signal(false)

export interface Shortcut {
  readonly keys: string
  readonly what: string
}

export const shortcuts: readonly Shortcut[] = [
  { keys: '/', what: 'Search' },
  ...pages.map(({ shortcut, title }) => ({ keys: `g ${shortcut}`, what: `Go to ${title}` })),
  { keys: 't', what: 'Switch between light, dark and system theme' },
  { keys: '?', what: 'Show this list' },
]

/** Time between the two keys of a shortcut: long enough to type, short enough to avoid accidents. */
const pairMs = 1500
let waitsUntil = 0

export function listenForShortcuts(): () => void {
  window.addEventListener('keydown', act)
  return () => window.removeEventListener('keydown', act)
}

function act(event: KeyboardEvent): void {
  // No shortcuts while typing in a field, and none of the browser's key combinations.
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
  if (document.querySelector('dialog[open]') !== null) return
  const { key } = event
  if (event.timeStamp < waitsUntil) {
    waitsUntil = 0
    const page = pages.find(({ shortcut }) => shortcut === key)
    if (page === undefined) return
    navigate(page.path)
  } else if (key === 'g') waitsUntil = event.timeStamp + pairMs
  else if (key === '/') navigate('search')
  else if (key === 't') nextTheme()
  else if (key === '?') helpOpen.value = true
  else return
  event.preventDefault()
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}
