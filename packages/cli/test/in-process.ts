/** The command line without a process of its own: what was typed, piped in and set, and what came of it. */
import { main } from '../src/main.js'

export interface Typed {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** A person sits there. */
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
      // In pieces, as a pipe gives them.
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

/** Waits between two tries take no time; the time-out of a call never comes. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 30_000 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
