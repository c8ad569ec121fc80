import { exitCodes } from '../command.js'

/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'fault'
  /** What was seen, in one line. */
  readonly seen: string
  /** What to do next, where something is to be done. */
  readonly next?: string
  /** Of the command, where this is the first fault. */
  readonly exitCode?: number
}

export const ok = (check: string, seen: string): Finding => ({ check, status: 'ok', seen })

export const warning = (check: string, seen: string, next: string): Finding => ({
  check,
  status: 'warning',
  seen,
  next,
})

export function fault(check: string, seen: string, next: string, exitCode: number = exitCodes.failed): Finding {
  return { check, status: 'fault', seen, next, exitCode }
}
