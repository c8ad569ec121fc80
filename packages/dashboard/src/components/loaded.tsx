import type { ComponentChildren } from 'preact'
import type { Load } from '../load.ts'
import { Problem } from './problem.tsx'

interface LoadedProps<Value> {
  readonly load: Load<Value>
  /** Text shown while loading: "Reading memories". */
  readonly what: string
  readonly children: (value: Value) => ComponentChildren
}

/** Shows the loaded value, or the error. While reloading, the previous value stays visible but dimmed. */
export function Loaded<Value>({ load, what, children }: LoadedProps<Value>) {
  const { current, again } = load
  if (current.state === 'failed') return <Problem error={current.error} again={again} />
  if (current.state === 'done') return <>{children(current.value)}</>
  if (current.previous !== undefined) {
    return (
      <div class="stale" aria-busy="true">
        {children(current.previous)}
      </div>
    )
  }
  return <Waiting what={what} />
}

export function Waiting({ what }: { readonly what: string }) {
  return (
    <p class="waiting" aria-busy="true">
      <span class="waiting-dots" aria-hidden="true" />
      {what}…
    </p>
  )
}

/** Empty state of a list. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
