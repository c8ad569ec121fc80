import { useEffect, useState } from 'preact/hooks'
import { announce } from './state.ts'

export type Loading<Value> =
  | { readonly state: 'loading'; readonly previous: Value | undefined }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'done'; readonly value: Value }

export interface Load<Value> {
  readonly current: Loading<Value>
  readonly again: () => void
}

/**
 * Loads when one of `inputs` changes, and when `again` is called. The previous request is aborted, so that a late response never
 * replaces a newer one.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  say?: (value: Value) => string,
): Load<Value> {
  const [current, setCurrent] = useState<Loading<Value>>({ state: 'loading', previous: undefined })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    setCurrent((before) => ({ state: 'loading', previous: before.state === 'done' ? before.value : undefined }))
    load(ended.signal).then(
      (value) => {
        if (ended.signal.aborted) return
        setCurrent({ state: 'done', value })
        if (say !== undefined) announce(say(value))
      },
      (error: unknown) => {
        if (!ended.signal.aborted) setCurrent({ state: 'failed', error })
      },
    )
    return () => ended.abort()
  }, [...inputs, attempt])
  return { current, again: () => setAttempt((before) => before + 1) }
}
