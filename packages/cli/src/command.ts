import type { Clock } from '@keepsake/client'

/** A command: one file in `commands/`, one entry in `commands.ts`. Help and completions are generated from it. */
export interface Command {
  /** As typed: `audit verify`. */
  readonly name: string
  /** Shorter aliases. */
  readonly also?: readonly string[]
  readonly summary: string
  /** Arguments after the name and the options: `FILE…`. */
  readonly usage: string
  /** The allowed arguments, if there are only a few. */
  readonly operands?: readonly string[]
  /** The options for `parseArgs`, with their descriptions for `--help` and completions. */
  readonly options?: Options
  /** Shown by `--help`, below the usage. */
  readonly help: string
  /** Complete command lines. */
  readonly examples?: readonly string[]
  /** Returns the exit code. */
  run(args: readonly string[], io: Io): Promise<number>
}

export type Options = Readonly<Record<string, Option>>

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** Placeholder for the value. `FILE` and `DIRECTORY` enable path completion. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly help: string
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean
}

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  /** Used to wait for a slow reader. */
  once?(event: 'drain', listener: () => void): unknown
}

/** The part of `process` that commands use, plus network and clock. Tests pass their own. */
export interface Io {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly fetch?: typeof fetch
  readonly clock?: Clock
}

/** Exit codes, shared by all commands. */
export const exitCodes = {
  /** Success. */
  fine: 0,
  /** The command ran and the result is negative, or the service failed. */
  failed: 1,
  /** Nothing was done: wrong usage, an invalid value, or an unreadable file. */
  unusable: 2,
  /** No answer: connection refused, unknown host, timeout, or the service reports that it is unavailable. */
  unreachable: 3,
  /** The key is missing or wrong, or content protection refused the text. */
  refused: 4,
  notFound: 5,
  /** Rate limited. */
  limited: 6,
} as const

/** The command can't be understood or can't be carried out as given. Printed as one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
