import { effect, signal } from '@preact/signals'
import { type Theme, theme } from './state.ts'

const dark = window.matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(dark.matches)
dark.addEventListener('change', () => {
  systemIsDark.value = dark.matches
})

/** The theme in effect. Canvases are redrawn when it changes. */
export const seenTheme = signal<'light' | 'dark'>('light')

effect(() => {
  const system = systemIsDark.value ? 'dark' : 'light'
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
  seenTheme.value = theme.value === 'system' ? system : theme.value
})

const order: readonly Theme[] = ['system', 'light', 'dark']

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system'
}

/** Resolves a custom property to a colour that a canvas accepts. */
export function colourOf(property: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${property})`
  probe.hidden = true
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

export function prefersLessMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches
}
