import { exitCodes } from '../command.js'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'fault'
  /** What the check found, in one line. */
  readonly seen: string
  /** What to do next, unless the check passed. */
  readonly next?: string
  /** Exit code of the command if this is the first fault. */
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
