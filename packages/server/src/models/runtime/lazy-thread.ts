/** A model's thread that starts, and loads the model, with the first request that needs it or when `load` is called. */
import { asError, unavailable } from '../../core/errors.js'
import type { Loadable, LoadState } from '../models.js'
import { checkModelFiles } from './model-files.js'
import { ModelThread } from './model-thread.js'

export class LazyThread<Ask> implements Loadable {
  private readonly thread: ModelThread<Ask>
  private loading: Promise<void> | undefined
  private loadState: LoadState = 'not loaded'
  private failure: Error | undefined
  private isClosed = false

  constructor(private readonly options: ConstructorParameters<typeof ModelThread<Ask>>[0]) {
    this.thread = new ModelThread(options)
  }

  load(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    this.loading ??= this.start()
    return this.loading
  }

  async verify(): Promise<void> {
    const { model } = this.options
    try {
      await checkModelFiles(model)
    } catch (error) {
      this.loadState = 'failed'
      throw error
    }
  }

  state(): LoadState {
    return this.loadState
  }

  /** The question waits in the thread until the model is loaded. */
  async ask(ask: Ask, items: number): Promise<Float32Array> {
    if (this.failure !== undefined) {
      throw Object.assign(unavailable(`The ${this.options.purpose} model cannot be loaded`), { cause: this.failure })
    }
    // A failure also rejects the question.
    this.load().catch(() => undefined)
    return this.thread.ask(ask, items)
  }

  /** Number of items that wait or run now. */
  waiting(): number {
    return this.thread.waiting()
  }

  /** Finishes accepted work, then ends the thread if it was started. */
  close(): Promise<void> {
    this.isClosed = true
    return this.thread.close()
  }

  private async start(): Promise<void> {
    this.loadState = 'loading'
    try {
      await this.thread.start()
      this.loadState = 'loaded'
    } catch (error) {
      this.loadState = 'failed'
      this.failure = asError(error)
      throw error
    }
  }
}
