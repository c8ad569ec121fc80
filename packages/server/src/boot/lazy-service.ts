/** A service that its first use opens. */
import { ServiceError, unavailable } from '../core/errors.js'

interface Closeable {
  close(): Promise<void>
}

export class LazyService<Service extends Closeable> {
  readonly #open: () => Promise<Service>
  readonly #stderr: { write(text: string): unknown }
  #opening: Promise<Service> | undefined
  #isClosed = false
  #fail: () => void = () => undefined
  /** Resolves when the service could not be opened, which was printed. */
  readonly failed = new Promise<void>((resolve) => {
    this.#fail = resolve
  })

  constructor(open: () => Promise<Service>, stderr: { write(text: string): unknown }) {
    this.#open = open
    this.#stderr = stderr
  }

  /** @throws ServiceError with what was printed, or because it was closed. */
  opened(): Promise<Service> {
    if (this.#opening === undefined) {
      // Nobody would close it.
      if (this.#isClosed) return Promise.reject(unavailable('The service is shutting down'))
      this.#opening = this.#start()
      // Whoever waits for it handles the error too.
      this.#opening.catch(() => this.#fail())
    }
    return this.#opening
  }

  /** False: it could not be opened. */
  async close(): Promise<boolean> {
    this.#isClosed = true
    try {
      const service = await this.#opening
      await service?.close()
      return true
    } catch (error) {
      if (error instanceof ServiceError) return false
      throw error
    }
  }

  async #start(): Promise<Service> {
    try {
      return await this.#open()
    } catch (error) {
      const inUse = error instanceof Error && error.name === 'DataDirectoryInUse'
      const hint = inUse ? '; its MCP address is http://127.0.0.1:8787/mcp unless it was set otherwise' : ''
      const line = `${await failureLine(error)}${hint}`
      this.#stderr.write(`${line}\n`)
      throw unavailable(line)
    }
  }
}

/** Loaded on demand: a client that waits for its first answer does not need it. */
export async function failureLine(error: unknown): Promise<string> {
  const { startFailure } = await import('./start-failure.js')
  return startFailure(error)
}
