/** A model's thread that starts, and loads the model, with the first request that needs it. */
import { unavailable } from '../../core/errors.js'
import { ModelThread } from './model-thread.js'

export class LazyThread<Ask> {
  private readonly thread: ModelThread<Ask>
  private starting: Promise<void> | undefined
  private isClosed = false

  constructor(private readonly options: ConstructorParameters<typeof ModelThread<Ask>>[0]) {
    this.thread = new ModelThread(options)
  }

  async ask(ask: Ask, items: number): Promise<Float32Array> {
    if (!this.isClosed) this.starting ??= this.thread.start()
    await this.starting?.catch((error: Error) => {
      throw Object.assign(unavailable(`The ${this.options.purpose} model cannot be loaded`), { cause: error })
    })
    return this.thread.ask(ask, items)
  }

  /** Finishes accepted work, then ends the thread if it was started. */
  close(): Promise<void> {
    this.isClosed = true
    return this.thread.close()
  }
}
