/** Shows the progress of long work in one line that is redrawn in place, on a terminal only. */
import type { Io } from './command.js'

export interface Progress {
  /** Counts this many more as done. */
  advance(count?: number): void
  /** Clears the line, so that the next output starts on a fresh one. */
  end(): void
}

export interface ProgressOptions {
  /** The activity, in a word or two. */
  readonly label: string
  /** The counted unit, in the plural: `records`. */
  readonly unit: string
  /** Null if unknown. */
  readonly total: number | null
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}

const drawEveryMs = 100
const barWidth = 24
/** A rate over a shorter time means nothing. */
const shortestMs = 1_000

type Stream = Io['stderr'] & { readonly isTTY?: boolean; readonly columns?: number }

export function showProgress(stream: Stream, options: ProgressOptions): Progress {
  if (stream.isTTY !== true) return { advance: () => undefined, end: () => undefined }
  const nowMs = options.nowMs ?? (() => performance.now())
  const startedAt = nowMs()
  let drawnAt = Number.NEGATIVE_INFINITY
  let done = 0
  return {
    advance(count = 1) {
      done += count
      const now = nowMs()
      if (now - drawnAt < drawEveryMs) return
      drawnAt = now
      // A line wider than the terminal would wrap, and the next one would be drawn below it.
      const line = progressLine(options, done, now - startedAt).slice(0, (stream.columns ?? 80) - 1)
      stream.write(`\r${line}\x1b[K`)
    },
    end() {
      if (drawnAt > Number.NEGATIVE_INFINITY) stream.write('\r\x1b[K')
    },
  }
}

export function progressLine({ label, unit, total }: ProgressOptions, done: number, elapsedMs: number): string {
  const rate = elapsedMs < shortestMs ? null : (done * 1000) / elapsedMs
  const speed = rate === null ? '' : `  ${grouped(Math.round(rate))} ${unit}/s`
  if (total === null || total <= 0) return `${label}  ${grouped(done)} ${unit}${speed}`
  // Items added after the count can push `done` past the total.
  const part = Math.min(1, done / total)
  const filled = Math.round(part * barWidth)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
  const left = rate ? `  ${duration((Math.max(0, total - done) / rate) * 1000)} left` : ''
  return `${label}  ${bar} ${Math.floor(part * 100)}%  ${grouped(done)} of ${grouped(total)}${speed}${left}`
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
