/**
 * The tagging models, each in a thread of its own (`tag-worker.ts`): they find names in sentences and the relations between
 * them. One reads English; the other reads all other languages, and is loaded with the first sentence in one of them.
 */
import { workerUrl } from '../../core/worker-url.js'
import { isForeign } from '../../language/words/is-foreign.js'
import type { Loadable } from '../models.js'
import { denseScript } from '../runtime/beginning-of.js'
import { LazyThread } from '../runtime/lazy-thread.js'
import { checkModelSizes, readLocalModel } from '../runtime/model-files.js'
import { type Reading, type RelationSeen, readingWidth, readReading, type SpanSeen } from './tag-reading.js'

export interface SpanReader {
  readonly modelId: string
  readonly loading?: Loadable
  /** One reading per sentence, in order. */
  read(sentences: readonly string[]): Promise<Reading[]>
  close(): Promise<void>
}

export interface SpanReaderOptions {
  /** A directory with a `model.json` instead of `models/keepsake-tag`, for all languages. */
  readonly directory?: string
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
}

const maxWaitingSentences = 20_000
const partsAtOnce = 1_000
/** Longer sentences are cut at a space: about 110 words, fewer tokens than the model's limit. */
const longestPart = 500
const longestDense = 200

/** Rejects with a one-line message that names the file if one is missing or truncated. */
export async function openSpanReader(options: SpanReaderOptions = {}): Promise<SpanReader> {
  const english = await openThread('keepsake-tag', options)
  const others = options.directory ? english : await openThread('keepsake-names', options)
  const [thread, foreign] = [english.thread, others.thread]
  return {
    modelId: english.id,
    loading: {
      load: () => thread.load(),
      state: () => thread.state(),
      verify: async () => {
        await thread.verify()
        if (foreign !== thread) await foreign.verify()
      },
    },
    async read(sentences) {
      const parts = sentences.flatMap((sentence, owner) => partsOf(sentence).map((part) => ({ owner, ...part })))
      const readings: { readonly spans: SpanSeen[]; readonly relations: RelationSeen[] }[] = sentences.map(() => ({
        spans: [],
        relations: [],
      }))
      // One import must not fill the queue for all other requests.
      for (let first = 0; first < parts.length; first += partsAtOnce) {
        const some = parts.slice(first, first + partsAtOnce)
        const isOther = some.map(({ text }) => foreign !== thread && isForeign(text))
        const own = await askedOf(
          thread,
          some.filter((_, at) => !isOther[at]),
        )
        const other = await askedOf(
          foreign,
          some.filter((_, at) => isOther[at]),
        )
        for (const [at, { owner, offset }] of some.entries()) {
          const [reading, part] = [readings[owner], (isOther[at] ? other : own).shift()]
          if (reading && part) append(reading, part, offset)
        }
      }
      return readings
    },
    async close() {
      await thread.close()
      if (foreign !== thread) await foreign.close()
    },
  }
}

async function openThread(name: string, { directory, script }: SpanReaderOptions) {
  const model = await readLocalModel('tagger', name, directory)
  await checkModelSizes(model)
  const thread = new LazyThread<readonly string[]>({
    purpose: 'tagging',
    script: script ?? workerUrl(import.meta.url, './tag-worker.js'),
    model,
    maxWaiting: maxWaitingSentences,
  })
  return { id: model.id, thread }
}

async function askedOf(thread: LazyThread<readonly string[]>, parts: readonly { text: string }[]): Promise<Reading[]> {
  if (parts.length === 0) return []
  const values = await thread.ask(
    parts.map(({ text }) => text),
    parts.length,
  )
  return parts.map((_, at) => readReading(values, at * readingWidth))
}

function append(whole: { spans: SpanSeen[]; relations: RelationSeen[] }, part: Reading, offset: number): void {
  const known = whole.spans.length
  for (const span of part.spans) whole.spans.push({ ...span, start: span.start + offset, end: span.end + offset })
  for (const relation of part.relations)
    whole.relations.push({ ...relation, head: relation.head + known, tail: relation.tail + known })
}

function partsOf(sentence: string): { readonly text: string; readonly offset: number }[] {
  const parts: { text: string; offset: number }[] = []
  for (let offset = 0; offset < sentence.length; ) {
    const longest = denseScript.test(sentence.slice(offset, offset + longestPart)) ? longestDense : longestPart
    let end = Math.min(sentence.length, offset + longest)
    if (end < sentence.length) {
      const cut = borderBefore(sentence, end)
      if (cut > offset + longest / 2) end = cut
    }
    const text = sentence.slice(offset, end)
    if (/\S/u.test(text)) parts.push({ text, offset })
    offset = end
  }
  return parts
}

/** The last place up to `end` where a name is not cut: a space, or after a sign of a script without spaces. */
function borderBefore(sentence: string, end: number): number {
  const marks = ['、', '，', '；', '。', '！', '？', '・'].map((mark) => sentence.lastIndexOf(mark, end - 1) + 1)
  return Math.max(sentence.lastIndexOf(' ', end), ...marks)
}
