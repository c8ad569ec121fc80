/**
 * The language model's part in a store: it reads the text again and writes the memories. The local reading is kept for every
 * sentence whose facts the model left out, and for everything if there is no model.
 */
import { contentKey } from '../../core/memory.js'
import type { UserScope } from '../../core/scope.js'
import { speakerOf } from '../../facts/tagging/extract.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { isKept } from '../../ingest/llm/grounding.js'
import { mostQuestions, questionsFor, type ReadMemory, readByModel, type Sentence } from '../../ingest/llm/read.js'
import { withClaims } from '../../ingest/llm/tags.js'
import { isSmallTalk } from '../../ingest/small-talk.js'
import { sentencesOf } from '../../language/sentences/sentences.js'
import type { Tagged } from '../../models/models.js'
import { type SegmentRange, turnBreak } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { atOnce } from '../texts/text-lanes.js'
import type { Consultation } from './consultation.js'
import { weighTexts } from './screen-texts.js'
import { speakerNameOf, tag, type Understood, untagged } from './tag.js'

/** The local reading: memories with their tags, and the text that they come from. */
export interface LocalReading extends Understood {
  readonly segments: readonly string[]
  /** Segments that make no memory of their own. */
  readonly chatter: ReadonlySet<number>
}

interface Circumstances {
  /** When the text was said, for memories that have no time. */
  readonly saidAt: number
  /** The trust score of the text: memories from the model must not have a lower one. */
  readonly trustScore: number
}

export async function understand(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  consultation: Consultation | null,
  local: LocalReading,
  { saidAt, trustScore }: Circumstances,
): Promise<Understood> {
  if (consultation === null || local.said.length === 0) return local
  const told = local.said.map((memory) => ({ ...memory, speakerName: speakerNameOf(memory) }))
  const sentences = toAsk(local.segments, told, saidAt, local.chatter)
  const read = await readAll(deps, consultation, sentences, trustScore)
  const written = new Map<DividedMemory, ReadMemory[]>()
  for (const memory of read) {
    for (const said of asSaid(memory, local)) written.set(said, [...(written.get(said) ?? []), memory])
  }
  if (written.size === 0) return local
  const tags = await tag(deps, place, scope, [...written.keys()])
  const byModel = [...written].map(([said, memories], index) => {
    const speaker = speakerOf(scope.userId, speakerNameOf(said))
    const claimed = (tagged: Tagged, memory: ReadMemory) =>
      withClaims(tagged, { ...memory, text: said.content }, speaker)
    return { said, tagged: memories.reduce(claimed, tags[index] ?? untagged) }
  })
  const lost = lostSegments(local, sentences, read)
  const byRules = local.said.flatMap((said, index) =>
    !written.has(said) && range(said.segments).some((segment) => lost.has(segment))
      ? [{ said, tagged: local.tagged[index] ?? untagged }]
      : [],
  )
  const all = [...byModel, ...byRules].sort((a, b) => a.said.segments[0] - b.said.segments[0])
  return { said: all.map(({ said }) => said), tagged: all.map(({ tagged }) => tagged) }
}

/** For a memory whose wording must stay: the model adds only entities and relationships. */
export async function understandOne(
  deps: Deps,
  consultation: Consultation | null,
  userId: string,
  content: string,
  local: Tagged,
  { saidAt, trustScore }: Circumstances,
): Promise<Tagged> {
  if (consultation === null) return local
  const segments = sentencesOf(content, longestSentence).map(({ start, end }) => content.slice(start, end))
  const told = segments.map(
    (segment, index): Told => ({
      content: segment,
      segments: [index, index],
      createdAt: null,
      speakerName: undefined,
    }),
  )
  const sentences = toAsk(segments, told, saidAt)
  const read = await readAll(deps, consultation, sentences, trustScore)
  const speaker = speakerOf(userId, undefined)
  return read.reduce((tagged, memory) => withClaims(tagged, memory, speaker), local)
}

const longestSentence = 1_000

/** Code is not sent to the model, which would correct it. */
const fence = /^[ \t]{0,12}(?:`{3,}|~{3,})/m

/** The description of a local memory that the model receives. */
interface Told extends Pick<DividedMemory, 'content' | 'segments' | 'createdAt'> {
  readonly speakerName: string | undefined
}

function toAsk(
  segments: readonly string[],
  told: readonly Told[],
  saidAt: number,
  chatter: ReadonlySet<number> = new Set(),
): Sentence[] {
  const ofSegment = new Map<number, Told[]>()
  for (const memory of told) {
    for (const segment of range(memory.segments)) ofSegment.set(segment, [...(ofSegment.get(segment) ?? []), memory])
  }
  let turn = 0
  return segments.flatMap((segment, index): Sentence[] => {
    if (segment === turnBreak) turn += 1
    const memories = ofSegment.get(index) ?? []
    if (segment.trim() === '' || memories.some(({ content }) => fence.test(content))) return []
    // It is part of a neighbouring memory, possibly of another speaker: the model would merge the two.
    if (chatter.has(index) || (isSmallTalk(segment) && memories.some(({ segments: [start, end] }) => end > start)))
      return []
    const [first] = memories
    return [
      {
        segment: index,
        text: segment.replace(/\s+/gu, ' ').trim(),
        turn,
        speaker: first?.speakerName ?? null,
        saidAt: first?.createdAt ?? saidAt,
        localTexts: memories.map(({ content }) => content),
      },
    ]
  })
}

async function readAll(
  deps: Deps,
  consultation: Consultation,
  sentences: readonly Sentence[],
  trustScore: number,
): Promise<ReadMemory[]> {
  const questions = questionsFor(sentences)
  const asked = questions.reduce((sum, question) => sum + question.length, 0)
  if (asked < sentences.length) {
    consultation.doneWithout({ sentences: sentences.length, asked, questions: mostQuestions }, 'the text is too long')
  }
  const readings = await Promise.all(
    questions.map(async (question) => {
      const reading = await consultation.ask('read', (model, budgetMs) => readByModel(model, question, budgetMs))
      if (!reading) return []
      const trusts = await Promise.all(reading.memories.map(({ text }) => isTrusted(deps, text, trustScore)))
      const trusted = reading.memories.filter((_, index) => trusts[index])
      const refused = reading.refused + reading.memories.length - trusted.length
      if (refused > 0) consultation.doneWithout({ refused, taken: trusted.length }, 'part of it is not in the text')
      else if (trusted.length === 0 && !question.every(({ text }) => isSmallTalk(text)))
        consultation.doneWithout({ sentences: question.length }, 'it contains no memory')
      return trusted
    }),
  )
  return readings.flat()
}

async function isTrusted(deps: Deps, text: string, trustScore: number): Promise<boolean> {
  const judged = await weighTexts(deps, atOnce, [{ path: 'content', text }])
  return !judged.flagged && judged.trustScore >= trustScore
}

/**
 * Speaker, time and other properties come from the local memory of the same sentence. If the model only repeats sentences, the
 * local memories are used, with names and dates resolved.
 */
function asSaid(read: ReadMemory, { segments, said }: LocalReading): readonly DividedMemory[] {
  const [first, last] = [read.segments[0], read.segments.at(-1)]
  const touched = said.filter((each) => read.segments.some((segment) => isWithin(segment, each.segments)))
  const [like] = touched
  // Sentences without a local memory are small talk and need none.
  if (!like || first === undefined || last === undefined) return []
  const name = speakerNameOf(like)
  const prefix = name === undefined ? '' : `${name.replace(/\s+/gu, ' ').trim()}: `
  const isPrefixed = like.content.startsWith(prefix)
  const text = read.text.startsWith(prefix) ? read.text.slice(prefix.length) : read.text
  const told = contentKey(textOf(segments, [first, last]))
  // A dialogue submitted as one text contains its speakers' names.
  if (contentKey(text) === told || contentKey(prefix + text) === told) return touched
  const content = (isPrefixed ? prefix : '') + text
  const same = touched.find((each) => contentKey(each.content) === contentKey(content))
  return [same ?? { ...like, content, meant: content, segments: [first, last], parts: [] }]
}

function textOf(segments: readonly string[], [first, last]: SegmentRange): string {
  return segments.slice(first, last + 1).join('')
}

/** Segments with facts that the model left out, and segments that it was not asked about. */
function lostSegments(
  { segments, chatter, said, tagged }: LocalReading,
  sentences: readonly Sentence[],
  read: readonly ReadMemory[],
): ReadonlySet<number> {
  const textsOf = new Map<number, string[]>()
  for (const { text, segments: covered } of read) {
    for (const segment of covered) textsOf.set(segment, [...(textsOf.get(segment) ?? []), text])
  }
  const names = tagged.flatMap(({ entities }) => entities.map(({ name }) => name))
  const kept = new Set(
    sentences.flatMap(({ segment, text }) => (isKept(text, textsOf.get(segment) ?? [], names) ? [segment] : [])),
  )
  const lost = new Set<number>()
  for (const memory of said) {
    const own = range(memory.segments).filter((segment) => (segments[segment] ?? '').trim() !== '')
    const isTold = own.some((segment) => kept.has(segment))
    for (const segment of own) {
      if (kept.has(segment) || (isTold && (chatter.has(segment) || isSmallTalk(segments[segment] ?? '')))) continue
      lost.add(segment)
    }
  }
  return lost
}

function range([first, last]: SegmentRange): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function isWithin(segment: number, [first, last]: SegmentRange): boolean {
  return segment >= first && segment <= last
}
