/**
 * The service's tagger: names and relations from the model if it answers in time, plus rules for the rest; otherwise
 * rules alone.
 */
import type { Loadable, Tagged, Tagger } from '../../models/models.js'
import type { SpanReader } from '../../models/tagger/span-reader.js'
import type { Reading } from '../../models/tagger/tag-reading.js'
import { type ReadText, Tagging, tagged } from './rule-tagger.js'

export interface HybridTagger extends Tagger {
  readonly loading?: Loadable
  /** True if the last texts were tagged by rules alone. */
  lastCallFailed(): boolean
  close(): Promise<void>
}

export interface HybridTaggerOptions {
  /**
   * A sentence takes about ten milliseconds, and one that is nothing but names a hundred per 500 characters. Beyond this limit the
   * thread hangs, or the queue is far too long.
   */
  readonly timeoutMs?: (sentences: number, characters: number) => number
  onFailure?(error: unknown): void
  /** Applies the rules, for example in another thread. */
  readonly applyRules?: (texts: readonly ReadText[]) => Promise<readonly Tagged[]>
}

/** Loading takes a second, and twenty on an overloaded machine. */
const loadTimeoutMs = 60_000

const defaultTimeout = (sentences: number, characters: number) => 5_000 + 100 * sentences + 2 * characters

export function hybridTagger(reader: SpanReader, options: HybridTaggerOptions = {}): HybridTagger {
  const { applyRules = async (texts) => texts.map(tagged) } = options
  let failed = false
  async function readingsOf(sentences: readonly string[]): Promise<readonly Reading[] | undefined> {
    if (sentences.length === 0) return []
    try {
      const limit = (options.timeoutMs ?? defaultTimeout)(
        sentences.length,
        sentences.reduce((sum, { length }) => sum + length, 0),
      )
      // The limit below is for a model that is loaded.
      if (reader.loading && reader.loading.state() !== 'loaded') await within(loadTimeoutMs, reader.loading.load())
      const readings = await within(limit, reader.read(sentences))
      failed = false
      return readings
    } catch (error) {
      failed = true
      options.onFailure?.(error)
      return undefined
    }
  }
  return {
    async tag(items) {
      const sentences = items.map(({ text, speaker }) => new Tagging(text, speaker).sentences)
      const readings = await readingsOf(sentences.flat())
      let first = 0
      const read = items.map(({ text, speaker }, index): ReadText => {
        const next = first + (sentences[index]?.length ?? 0)
        const own = readings?.slice(first, next)
        first = next
        return own === undefined ? { text, speaker } : { text, speaker, readings: own }
      })
      return [...(await applyRules(read))]
    },
    ...(reader.loading && { loading: reader.loading }),
    lastCallFailed: () => failed,
    close: () => reader.close(),
  }
}

function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the tagging model took longer than ${milliseconds} ms`)),
      milliseconds,
    )
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
