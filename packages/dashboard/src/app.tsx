import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Help } from './components/help.tsx'
import { Icon } from './components/icon.tsx'
import { Waiting } from './components/loaded.tsx'
import { Problem } from './components/problem.tsx'
import { SignIn } from './components/sign-in.tsx'
import { PickUser, Where } from './components/where.tsx'
import { canRead, reached } from './connection.ts'
import { type PageEntry, pages } from './pages.ts'
import { addressOf, route } from './route.ts'
import { helpOpen, listenForShortcuts } from './shortcuts.ts'
import { announcement, masterKey, notice, theme } from './state.ts'
import { nextTheme } from './theme.ts'
import { TimeBar } from './time/time-bar.tsx'

export function App() {
  useEffect(listenForShortcuts, [])
  const entry = pages.find(({ path }) => path === route.value.page)
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skip}>
        Skip to main content
      </button>
      <header class="top">
        <a class="brand" href={addressOf('')}>
          Keepsake
        </a>
        <Where />
        <div class="top-tools">
          <button
            type="button"
            class="button plain"
            onClick={nextTheme}
            aria-label={`Theme: ${theme.value}. Change theme`}
          >
            <Icon name="theme" />
            <span class="tool-name">{theme.value}</span>
          </button>
          <button
            type="button"
            class="button plain"
            onClick={() => (helpOpen.value = true)}
            aria-label="Keyboard shortcuts"
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <nav class="side" aria-label="Pages">
        <ul>
          {pages.map(({ path, title, icon }) => (
            <li key={path}>
              <a href={addressOf(path)} aria-current={entry?.path === path ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{title}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" class={`main ${entry?.isWide ? 'wide' : ''}`} tabIndex={-1}>
        {!reached.value && (
          <p class="offline">The last request got no answer: the service may be down, or this machine offline.</p>
        )}
        {entry?.isTimed && <TimeBar />}
        {entry === undefined ? <Nowhere /> : <Page key={entry.path} entry={entry} />}
      </main>
      <p class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
      <p class="notice" role="status" aria-live="polite">
        {notice.value}
      </p>
      <Help />
    </div>
  )
}

/** A button instead of a link, because the URL fragment is used for routing. */
function skip(): void {
  document.getElementById('main')?.focus()
}

/** Whether the user has followed a link since opening the dashboard. */
let followed = false

type Fetched = { readonly page: ComponentType } | { readonly error: unknown } | undefined

function Page({ entry }: { readonly entry: PageEntry }) {
  const [fetched, setFetched] = useState<Fetched>()
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef<PageEntry | undefined>(undefined)
  const fetchPage = () => {
    setFetched(undefined)
    entry.load().then(
      (module) => setFetched({ page: module.default }),
      (error: unknown) => setFetched({ error }),
    )
  }
  useEffect(fetchPage, [entry])
  const { id } = route.value
  useEffect(() => {
    document.title = `${entry.title} · Keepsake`
    // Only after a link was followed. When the dashboard is opened, the focus starts at the top. A selection on the same page leaves the
    // focus where it is, unless that place is gone.
    if (followed && (shown.current !== entry || !hasVisibleFocus())) heading.current?.focus()
    followed = true
    shown.current = entry
  }, [entry, id])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {entry.title}
      </h1>
      {entry.reads && !canRead.value ? <Locked /> : <Content fetched={fetched} again={fetchPage} />}
    </>
  )
}

function hasVisibleFocus(): boolean {
  const focused = document.activeElement
  return focused !== null && focused !== document.body && focused.checkVisibility()
}

function Content({ fetched, again }: { readonly fetched: Fetched; readonly again: () => void }) {
  if (fetched === undefined) return <Waiting what="Opening the page" />
  if ('error' in fetched) return <Problem error={fetched.error} again={again} />
  const { page: Shown } = fetched
  return <Shown />
}

function Locked() {
  return (
    <>
      {masterKey.value !== undefined && (
        <section class="card sign-in" aria-labelledby="pick-title">
          <h2 id="pick-title">Whose memories?</h2>
          <p>
            The master key gives no access to memories. Choose whose to open, create an API key under{' '}
            <a href={addressOf('keys')}>Keys</a>, or enter one below.
          </p>
          <PickUser />
        </section>
      )}
      <SignIn />
    </>
  )
}

function Nowhere() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        This page does not exist. <a href={addressOf('')}>Go to the start page.</a>
      </p>
    </>
  )
}
