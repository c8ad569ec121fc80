/** The tagging model in its own thread (`tag-worker.ts`): finds names in sentences and the relations between them. */
import { workerUrl } from '../../core/worker-url.js'
import type { Loadable } from '../models.js'
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
  /** A directory with a `model.json` instead of `models/keepsake-tag`. */
  readonly directory?: string
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
}

const maxWaitingSentences = 20_000
const partsAtOnce = 1_000
/** Longer sentences are cut at a space: about 110 words, fewer tokens than the model's limit. */
const longestPart = 500
/** Where each letter is a word. */
const longestDense = 200
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u

/** Rejects with a one-line message that names the file if one is missing or truncated. */
export async function openSpanReader(options: SpanReaderOptions = {}): Promise<SpanReader> {
  const model = await readLocalModel('tagger', 'keepsake-tag', options.directory)
  await checkModelSizes(model)
  const thread = new LazyThread<readonly string[]>({
    purpose: 'tagging',
    script: options.script ?? workerUrl(import.meta.url, './tag-worker.js'),
    model,
    maxWaiting: maxWaitingSentences,
  })
  return {
    modelId: model.id,
    loading: thread,
    async read(sentences) {
      const parts = sentences.flatMap((sentence, owner) => partsOf(sentence).map((part) => ({ owner, ...part })))
      const readings: { readonly spans: SpanSeen[]; readonly relations: RelationSeen[] }[] = sentences.map(() => ({
        spans: [],
        relations: [],
      }))
      // One import must not fill the queue for all other requests.
      for (let first = 0; first < parts.length; first += partsAtOnce) {
        const some = parts.slice(first, first + partsAtOnce)
        const values = await thread.ask(
          some.map(({ text }) => text),
          some.length,
        )
        for (const [at, { owner, offset }] of some.entries()) {
          const reading = readings[owner]
          if (reading) append(reading, readReading(values, at * readingWidth), offset)
        }
      }
      return readings
    },
    close: () => thread.close(),
  }
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
    const longest = dense.test(sentence.slice(offset, offset + longestPart)) ? longestDense : longestPart
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
