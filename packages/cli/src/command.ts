/** What a command is: one file in `commands/`, listed in `main.ts`. */
export interface Command {
  /** As it is typed: `audit verify`. */
  readonly name: string
  readonly summary: string
  /** After the name: `[--json] FILE…`. */
  readonly usage: string
  /** Shown by `--help`, below the usage. */
  readonly help: string
  /** The exit code. */
  run(args: readonly string[], io: Io): Promise<number>
}

/** The part of `process` that commands use; tests give their own. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

/** How a command ended, the same for all of them. */
export const exitCodes = {
  /** Done, and all is well. */
  fine: 0,
  /** Done, and what was asked for is not the case. */
  failed: 1,
  /** Not done: a wrong call, a file that can't be read. */
  unusable: 2,
} as const

/** A call that can't be understood, or can't be done as asked: one line for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
