/**
 * The trust of each memory of a store: the lowest score of its own words, of the findings in the text that it was made from, and of
 * everything that all memories share (source, project, metadata, names). A text is more than its parts and less: an order may show only
 * in the memory that joins a question and its answer, or drown among a hundred ordinary sentences.
 */
import type { Guard, Verdict } from '../models/models.js'
import { isFlagged, type JudgedText, type Screened, sanitize } from './sanitize.js'
import { withoutMarks } from './secrets/marks.js'
import { togetherScore } from './trust-scale.js'

export interface Trust {
  readonly trustScore: number
  readonly flagged: boolean
}

export interface MemoryWords {
  readonly content: string
  /** First and last segment that it was made from. */
  readonly segments: readonly [first: number, last: number]
}

interface Said {
  /** Joined, they are the text; `turnBreak` separates turns. */
  readonly segments: readonly string[]
  readonly turnBreak: string
  /** The texts of earlier turns of the conversation, oldest first. */
  readonly earlier: readonly string[]
}

interface PlacedText extends JudgedText {
  /** Where it begins in the joined segments. */
  readonly start: number
}

/** Of each of two neighbouring turns, for an order that is divided between them. */
const mostOfNeighbour = 400
const ownText = /^(?:content|messages\[\d+\]\.content)$/

export class MemoryTrust {
  private readonly shared: number
  private readonly texts: readonly PlacedText[]
  private readonly starts: readonly number[]
  private readonly turnOf: readonly number[]
  private readonly known = new Map<string, Verdict>()
  /** By turn: the score of an order that only shows together with the turn before. */
  private readonly together: readonly number[]

  constructor(
    private readonly guard: Guard,
    private readonly settings: Parameters<typeof sanitize>[2],
    private readonly screened: Screened,
    said: Said,
  ) {
    const { segments, turnBreak } = said
    let [start, turn] = [0, 0]
    const places = segments.map((segment) => {
      const place = { start, turn }
      start += segment.length
      if (segment === turnBreak) turn += 1
      return place
    })
    this.starts = [...places.map((place) => place.start), start]
    this.turnOf = places.map((place) => place.turn)
    const own = screened.verdicts.filter(({ path, text }) => ownText.test(path) && text.trim() !== '')
    const turnStarts = [
      0,
      ...segments.flatMap((segment, at) => (segment === turnBreak ? [this.starts[at + 1] ?? 0] : [])),
    ]
    this.texts = own.map((text, at) => ({ ...text, start: own.length === 1 ? 0 : (turnStarts[at] ?? 0) }))
    this.shared = lowest(screened.verdicts.filter(({ path }) => !ownText.test(path)))
    for (const verdict of screened.verdicts) this.known.set(verdict.text, verdict)
    this.together = settings.sanitize ? this.judgeNeighbours(said.earlier) : []
  }

  /** Throws like `sanitize` if one of the memories must be rejected. */
  reject(memories: readonly MemoryWords[]): void {
    for (const { content, segments } of memories) {
      if (this.known.has(content)) continue
      const path = this.texts.find((text) => this.overlaps(text, segments))?.path ?? 'content'
      for (const verdict of sanitize(this.guard, [{ path, text: content }], this.settings).verdicts)
        this.known.set(content, verdict)
    }
  }

  of({ content, segments }: MemoryWords): Trust {
    if (!this.settings.sanitize) return { trustScore: 1, flagged: false }
    const own = this.known.get(content) ?? this.guard.inspect(withoutMarks(content))
    this.known.set(content, own)
    const touching = this.texts.filter((text) => this.isTouched(text, segments))
    const together = this.together[this.turnOf[segments[1]] ?? 0] ?? 1
    const trustScore = Math.min(own.trustScore, this.shared, lowest(touching), together)
    return { trustScore, flagged: isFlagged(trustScore, this.settings) }
  }

  /** The lowest trust of all texts and memories. */
  overall(memories: readonly MemoryWords[]): Trust {
    const { trustScore, flagged } = this.screened
    const all = [{ trustScore, flagged }, ...memories.map((memory) => this.of(memory))]
    return { trustScore: lowest(all), flagged: all.some((each) => each.flagged) }
  }

  private overlaps({ start, text }: PlacedText, [first, last]: MemoryWords['segments']): boolean {
    return start < (this.starts[last + 1] ?? 0) && (this.starts[first] ?? 0) < start + text.length
  }

  private isTouched(text: PlacedText, [first, last]: MemoryWords['segments']): boolean {
    const [from, to] = [(this.starts[first] ?? 0) - text.start, (this.starts[last + 1] ?? 0) - text.start]
    return text.findings.some(({ start, end }) => start < to && from < end)
  }

  /** Counts only if each of the two turns alone is harmless, hence never as a rejection. */
  private judgeNeighbours(earlier: readonly string[]): number[] {
    const turns = this.texts.map(({ text }) => text)
    return turns.map((text, at) => {
      const before = at === 0 ? earlier.slice(-2).join('\n') : (turns[at - 1] ?? '')
      if (before === '') return 1
      const halves = [before.slice(-mostOfNeighbour), text.slice(0, mostOfNeighbour)]
      const isDoubtful = (words: string) => isFlagged(this.guard.inspect(withoutMarks(words)).trustScore, this.settings)
      const { trustScore } = this.guard.inspect(withoutMarks(halves.join('\n')))
      const isOrder = trustScore < togetherScore && isFlagged(trustScore, this.settings)
      if (!isOrder || halves.some(isDoubtful)) return 1
      return Math.max(trustScore, this.settings.threshold)
    })
  }
}

function lowest(all: readonly { readonly trustScore: number }[]): number {
  return all.reduce((least, { trustScore }) => Math.min(least, trustScore), 1)
}
