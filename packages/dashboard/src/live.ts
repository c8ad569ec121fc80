import type { Keepsake } from '@keepsake/client'
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Whether changes by others arrive by themselves. */
export const isLive = signal(false)

/**
 * Calls `act` after changes to the memories of the user, also by others, through the event stream. Changes in quick succession are one
 * call, and two calls are `restMs()` apart.
 */
export function useChanges(reader: Keepsake, isOn: boolean, act: () => void, restMs: () => number): void {
  const latest = useRef({ act, restMs })
  latest.current = { act, restMs }
  useEffect(() => {
    if (!isOn) return undefined
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const fire = () => {
      timer = undefined
      latest.current.act()
    }
    const follow = async () => {
      isLive.value = true
      for await (const _event of reader.events({ signal: ended.signal })) {
        timer ??= setTimeout(fire, latest.current.restMs())
      }
    }
    // Without a stream the list is not live, and everything else works. The next request reports a refused key.
    follow().catch(() => {
      if (!ended.signal.aborted) isLive.value = false
    })
    return () => {
      ended.abort()
      clearTimeout(timer)
      isLive.value = false
    }
  }, [reader, isOn])
}
