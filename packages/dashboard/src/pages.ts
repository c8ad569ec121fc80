/** All pages: one file each in `pages/`, loaded when the page is first opened. */
import type { ComponentType } from 'preact'

export interface PageEntry {
  /** Path in the address, and file name in `pages/`. Empty for the start page. */
  readonly path: string
  readonly title: string
  /** Key to press after `g`. */
  readonly shortcut: string
  readonly icon: string
  /** Whether it shows memories and therefore needs a user or an API key. */
  readonly reads: boolean
  /** Uses the whole width of the window. */
  readonly isWide?: boolean
  /** Follows the time slider. */
  readonly isTimed?: boolean
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

export const pages: readonly PageEntry[] = [
  { path: '', title: 'Start', shortcut: 'h', icon: 'home', reads: false, load: () => import('./pages/start.tsx') },
  {
    path: 'search',
    title: 'Search',
    shortcut: 's',
    icon: 'search',
    reads: true,
    isTimed: true,
    load: () => import('./pages/search.tsx'),
  },
  {
    path: 'memories',
    title: 'Memories',
    shortcut: 'm',
    icon: 'memories',
    reads: true,
    isWide: true,
    isTimed: true,
    load: () => import('./pages/memories.tsx'),
  },
  {
    path: 'profile',
    title: 'Profile',
    shortcut: 'p',
    icon: 'profile',
    reads: true,
    isTimed: true,
    load: () => import('./pages/profile.tsx'),
  },
  {
    path: 'graph',
    title: 'Graph',
    shortcut: 'g',
    icon: 'graph',
    reads: true,
    isWide: true,
    isTimed: true,
    load: () => import('./pages/graph.tsx'),
  },
  {
    path: 'time',
    title: 'Time',
    shortcut: 't',
    icon: 'time',
    reads: true,
    isTimed: true,
    load: () => import('./pages/time.tsx'),
  },
  { path: 'decay', title: 'Decay', shortcut: 'd', icon: 'decay', reads: true, load: () => import('./pages/decay.tsx') },
  {
    path: 'contradictions',
    title: 'Contradictions',
    shortcut: 'c',
    icon: 'contradictions',
    reads: true,
    isWide: true,
    load: () => import('./pages/contradictions.tsx'),
  },
  { path: 'keys', title: 'Keys', shortcut: 'k', icon: 'keys', reads: false, load: () => import('./pages/keys.tsx') },
  {
    path: 'health',
    title: 'Health',
    shortcut: 'e',
    icon: 'health',
    reads: false,
    load: () => import('./pages/health.tsx'),
  },
]
