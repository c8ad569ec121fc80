/**
 * Chooses which waiting texts are embedded next. A batch holds texts of similar length, because padding costs as much
 * as words, and its size is bounded so that a query never waits long behind the running batch.
 *
 * Small requests go first, and single texts before all others: a query must not wait for another user's import. Every
 * fourth batch starts with the text that has waited longest, so no request starves.
 */
import type { TokenRow } from '../runtime/encoder-session.js'
import type { WorkItem, WorkQueue } from '../runtime/serve-model.js'

interface Waiting extends WorkItem {
  /** Number of texts in its request. */
  readonly requestSize: number
  readonly text: string
}

export interface Ready extends Waiting, TokenRow {}

/** Beyond about 250 tokens per batch (50 ms), throughput hardly grows, but waiting time and memory do. */
const maxBatchTokens = 256
/** The same where the texts are not queries. It takes a tenth more time for long texts, but a query waits half as long. */
const maxStoredTokens = 128
const maxBatchTexts = 32
const smallRequestTexts = 8
/** Number of texts considered (and tokenized) to fill a batch. */
const windowTexts = 128
const oldestFirstEvery = 4

interface Entry extends Waiting {
  readonly arrival: number
  tokens?: readonly number[]
}

export class BatchQueue implements WorkQueue<readonly string[], Ready> {
  private small: Entry[] = []
  private bulk: Entry[] = []
  private arrivals = 0
  private batches = 0

  constructor(private readonly tokenize: (text: string) => readonly number[]) {}

  add(requestId: number, texts: readonly string[]): number {
    const lane = texts.length <= smallRequestTexts ? this.small : this.bulk
    for (const [index, text] of texts.entries()) {
      lane.push({ requestId, index, requestSize: texts.length, text, arrival: this.arrivals })
      this.arrivals += 1
    }
    if (lane === this.small) lane.sort((a, b) => a.requestSize - b.requestSize || a.arrival - b.arrival)
    return texts.length
  }

  get size(): number {
    return this.small.length + this.bulk.length
  }

  /** Removes the next batch from the queue; empty when no text waits. */
  next(): Ready[] {
    const seed = this.pickSeed()
    if (!seed) return []
    this.batches += 1
    const lane = seed.requestSize <= smallRequestTexts ? this.small : this.bulk
    const seedLength = this.tokensOf(seed).length
    // A query does not wait for texts that share its batch, unless they are queries too.
    const isAlike = (entry: Entry) => entry !== seed && (entry.requestSize === 1) === (seed.requestSize === 1)
    const window = [seed, ...lane.slice(0, windowTexts).filter(isAlike)]
    const byNearness = window
      .map((entry) => ({ entry, distance: Math.abs(this.tokensOf(entry).length - seedLength) }))
      .sort((a, b) => a.distance - b.distance)
    const mostTokens = seed.requestSize === 1 ? maxBatchTokens : maxStoredTokens
    const taken: Entry[] = [seed]
    let longest = seedLength
    for (const { entry } of byNearness) {
      if (entry === seed) continue
      const length = this.tokensOf(entry).length
      const padded = Math.max(longest, length) * (taken.length + 1)
      if (taken.length >= maxBatchTexts || padded > mostTokens || !isNear(length, seedLength)) break
      taken.push(entry)
      longest = Math.max(longest, length)
    }
    const gone = new Set(taken)
    if (lane === this.small) this.small = lane.filter((entry) => !gone.has(entry))
    else this.bulk = lane.filter((entry) => !gone.has(entry))
    return taken.map((entry) => ({ ...entry, tokens: this.tokensOf(entry) }))
  }

  private pickSeed(): Entry | undefined {
    const [firstSmall, firstBulk] = [this.small[0], this.bulk[0]]
    if (this.batches % oldestFirstEvery !== oldestFirstEvery - 1) return firstSmall ?? firstBulk
    return this.small.reduce(
      (oldest: Entry | undefined, entry) => (oldest && oldest.arrival <= entry.arrival ? oldest : entry),
      firstBulk,
    )
  }

  private tokensOf(entry: Entry): readonly number[] {
    entry.tokens ??= this.tokenize(entry.text)
    return entry.tokens
  }
}

/** At most about a third of a batch is padding. */
function isNear(length: number, seedLength: number): boolean {
  const [short, long] = [Math.min(length, seedLength), Math.max(length, seedLength)]
  return long <= short * 1.5 + 8
}
