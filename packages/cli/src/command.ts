import type { Clock } from '@keepsake/client'

/** What a command is: one file in `commands/`, one entry in `commands.ts`. Help and completions are made from it. */
export interface Command {
  /** As it is typed: `audit verify`. */
  readonly name: string
  /** Shorter words for the same. */
  readonly also?: readonly string[]
  readonly summary: string
  /** After the name and the options: `FILE…`. */
  readonly usage: string
  /** What an argument may be, where there are a few words only. */
  readonly operands?: readonly string[]
  /** As `parseArgs` takes them, with what `--help` and completions say of each. */
  readonly options?: Options
  /** Shown by `--help`, below the usage. */
  readonly help: string
  /** Whole command lines. */
  readonly examples?: readonly string[]
  /** The exit code. */
  run(args: readonly string[], io: Io): Promise<number>
}

export type Options = Readonly<Record<string, Option>>

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** What stands for its value: `FILE` and `DIRECTORY` are completed as such. */
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
  /** Where a slow reader is waited for. */
  once?(event: 'drain', listener: () => void): unknown
}

/** The part of `process` that commands use, and their way to the network; tests give their own. */
export interface Io {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly fetch?: typeof fetch
  readonly clock?: Clock
}

/** How a command ended, the same for all of them. */
export const exitCodes = {
  /** Done, and all is well. */
  fine: 0,
  /** Done, and what was asked for is not the case; or the service failed. */
  failed: 1,
  /** Not done: a wrong call, a value that is not valid, a file that can't be read. */
  unusable: 2,
  /** No answer: nothing listens, the name is unknown, it took too long, or the service says that it is unavailable. */
  unreachable: 3,
  /** The key is missing or wrong, or content protection does not take the text. */
  refused: 4,
  notFound: 5,
  /** Too many requests. */
  limited: 6,
} as const

/** A call that can't be understood, or can't be done as asked: one line for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
