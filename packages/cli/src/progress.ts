/** How far long work has come, drawn over itself in one line of a terminal, and not drawn anywhere else. */
import type { Io } from './command.js'

export interface Progress {
  /** This many more are done. */
  advance(count?: number): void
  /** Takes the line away, so that what is printed next begins a line of its own. */
  end(): void
}

export interface ProgressOptions {
  /** What is being done, in a word or two. */
  readonly label: string
  /** What is counted, in the plural: `records`. */
  readonly unit: string
  /** Null: nobody knows. */
  readonly total: number | null
  /** A clock that only goes on, in milliseconds. */
  readonly nowMs?: () => number
}

/** As often as an eye follows. */
const drawEveryMs = 100
const barWidth = 24
/** Before that a rate says nothing. */
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
      // Longer than the terminal is wide, it would wrap and be drawn below itself.
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
  // A total that was counted a moment before may be passed.
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
