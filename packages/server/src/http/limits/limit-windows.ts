/** The running windows of many subjects, bounded in number. */

export interface LimitWindow {
  /** Requests known to have been counted in this window. */
  count: number
  /** The part of `count` that the shared counters do not know yet. */
  unshared: number
  endsAt: number
  /** The life of the shared counters that `count` was last compared with. */
  life: number
}

export interface LimitWindows {
  /** Undefined if none is running. */
  find(subject: string): LimitWindow | undefined
  /** Starts a window now, with nothing used. */
  begin(subject: string): LimitWindow
  readonly size: number
}

/**
 * Two maps alternate. New windows go into the young map. After the length of a window, the young map becomes the old one, and the
 * previous old map is dropped, because every window in it has ended. This needs no timer per subject and no scan of the entries. Under
 * a flood of subjects the maps rotate early, and the oldest windows are lost first.
 */
export function limitWindows(windowMs: number, maxSubjects: number, now: () => number): LimitWindows {
  let young = new Map<string, LimitWindow>()
  let old = new Map<string, LimitWindow>()
  let turnedAt = now()

  return {
    find(subject) {
      const window = young.get(subject) ?? old.get(subject)
      return window !== undefined && window.endsAt > now() ? window : undefined
    },
    begin(subject) {
      const at = now()
      if (at - turnedAt >= windowMs || young.size >= maxSubjects / 2) {
        old = young
        young = new Map()
        turnedAt = at
      }
      const window = { count: 0, unshared: 0, endsAt: at + windowMs, life: 0 }
      young.set(subject, window)
      return window
    },
    get size() {
      return young.size + old.size
    },
  }
}
