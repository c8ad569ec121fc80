/**
 * `subscriptions/listen` over HTTP. The SDK has one bus for all streams of a handler, and users must not hear of each other, so each
 * stream has a handler and a bus of its own.
 */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpHandlerRequestOptions,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { Follower } from './operations.js'
import { publishChanges } from './subscriptions.js'

/** A reader that has not taken what was sent after this time is disconnected. */
const slowMs = 15_000

/** How long a reader has to take the end of a stream that this side closes. */
const lastWordsMs = 1_000

export interface Listening {
  readonly response: Response
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Answers one request to listen. `follower` is closed with the stream, whoever ends it. */
export async function listen(
  request: Request,
  options: McpHandlerRequestOptions,
  factory: McpServerFactory,
  follower: Follower,
  onerror: (error: Error) => void,
): Promise<Listening> {
  let isListening = false
  const own = new InMemoryServerEventBus(onerror)
  const bus: ServerEventBus = {
    publish: (event) => own.publish(event),
    subscribe(listener) {
      isListening = true
      const leave = own.subscribe(listener)
      return () => {
        leave()
        follower.close()
      }
    },
  }
  const handler = createMcpHandler(factory, { bus, maxSubscriptions: 1, onerror })
  const response = await handler.fetch(request, options)
  if (!isListening || response.body === null) {
    follower.close()
    return { response, ended: Promise.resolve(), close: async () => undefined }
  }
  const pace = new PacedStream(response.body)
  const ended = publishChanges(
    follower,
    (event) => own.publish(event),
    () => pace.isTaken(slowMs),
  )
    .catch(onerror)
    .finally(() => handler.close())
  return {
    response: new Response(pace.body, { status: response.status, headers: response.headers }),
    ended,
    async close() {
      follower.close()
      if (!(await pace.isTaken(lastWordsMs))) pace.abort()
      await ended
    },
  }
}

/** The same stream, which tells when its reader has taken everything: the SDK would queue without a limit. */
class PacedStream {
  readonly body: ReadableStream<Uint8Array>
  #isTaken = false
  #abort: (() => void) | undefined
  readonly #waiting = new Set<() => void>()

  constructor(source: ReadableStream<Uint8Array>) {
    const reader = source.getReader()
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#abort = () => controller.error(new Error('the reader is too slow'))
        },
        pull: async (controller) => {
          const read = reader.read()
          // A read that takes more than a turn found nothing: the reader has everything.
          if ((await Promise.race([read, nextTurn()])) === undefined) this.#taken()
          const { done, value } = await read
          this.#isTaken = false
          if (!done) return controller.enqueue(value)
          controller.close()
          this.#taken()
        },
        cancel: async (reason) => {
          this.#taken()
          await reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** False: not within this time. */
  async isTaken(patienceMs: number): Promise<boolean> {
    // What was just published reaches the waiting reader in a later turn.
    await nextTurn()
    if (this.#isTaken) return true
    return new Promise<boolean>((resolve) => {
      const end = (isTaken: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(onTaken)
        resolve(isTaken)
      }
      const onTaken = () => end(true)
      const timer = setTimeout(() => end(false), patienceMs)
      this.#waiting.add(onTaken)
    })
  }

  /** Breaks the connection. */
  abort(): void {
    this.#abort?.()
    this.#taken()
  }

  #taken(): void {
    this.#isTaken = true
    for (const notify of this.#waiting) notify()
  }
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)))
}
