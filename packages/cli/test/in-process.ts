/** Runs the command line in this process with given arguments, input and environment. */
import { main } from '../src/main.js'

export interface Typed {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** Whether the streams are a terminal. */
  readonly isTerminal?: boolean
  readonly now?: () => number
}

export interface Outcome {
  readonly code: number
  readonly output: string
  readonly errors: string
}

export async function keepsake(args: readonly string[], typed: Typed = {}): Promise<Outcome> {
  const { input = '', env = {}, fetch, isTerminal = false, now = Date.now } = typed
  const [output, errors]: [string[], string[]] = [[], []]
  const bytes = Buffer.from(input)
  const stdin = Object.assign(
    (async function* () {
      // In chunks, as from a pipe.
      for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
    })(),
    { isTTY: isTerminal },
  )
  const code = await main(args, {
    stdin,
    stdout: { isTTY: isTerminal, columns: 100, write: (text) => output.push(text) },
    stderr: { isTTY: isTerminal, columns: 100, write: (text) => errors.push(text) },
    env,
    clock: { now, sleep },
    ...(fetch === undefined ? {} : { fetch }),
  })
  return { code, output: output.join(''), errors: errors.join('') }
}

/** Waits between retries take no time, and timeouts never fire. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 30_000 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
