/** The running windows of many subjects, within a bound. */

export interface LimitWindow {
  /** All that is known to have been used in this window. */
  count: number
  /** Of these, what shared counters have not been told. */
  unshared: number
  endsAt: number
  /** Which life of the shared counters `count` was last compared with. */
  life: number
}

export interface LimitWindows {
  /** Undefined where none runs. */
  find(subject: string): LimitWindow | undefined
  /** Begins one now, with nothing used. */
  begin(subject: string): LimitWindow
  readonly size: number
}

/**
 * Two maps take turns: a window that begins goes into the young one, and when a window's length has passed the young
 * map becomes the old one and the old one is dropped, because all in it has ended. No timer a subject, and no walk
 * over entries. Under a flood of subjects the turn comes early and the oldest windows are lost first.
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
