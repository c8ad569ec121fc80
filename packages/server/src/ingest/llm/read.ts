/**
 * Memories from a language model. For each memory the model names its source sentences by the numbers they were given.
 * Anything it invents, changes or leaves out is rejected here, and the caller handles those sentences with the local
 * path.
 */
import { type LanguageModel, LanguageModelFailure } from '../../models/llm/llm.js'
import { deniesByItself, type Evidence, evidenceOf, isGrounded } from './grounding.js'
import {
  type ClaimedEntity,
  type ClaimedRelationship,
  claimedEntity,
  claimedMemory,
  claimedRelationship,
  readingAnswer,
  readingQuestion,
  speakerWord,
} from './questions.js'

export interface Sentence {
  /** Its index among the segments of the text. */
  readonly segment: number
  readonly text: string
  /** Sentences of one turn share a number: a memory never spans a change of speaker. */
  readonly turn: number
  /** Null: the user who stores it. */
  readonly speaker: string | null
  readonly saidAt: number
  /** The local path's version of the sentence, with resolved words: the model may use these too. */
  readonly localTexts: readonly string[]
}

export interface ReadMemory {
  readonly text: string
  /** Indices of its source segments, in order, all from one turn. */
  readonly segments: readonly number[]
  readonly entities: readonly ClaimedEntity[]
  readonly relationships: readonly ClaimedRelationship[]
  /** Everything that it may be grounded in. */
  readonly evidence: Evidence
}

export interface Reading {
  readonly memories: readonly ReadMemory[]
  /** Number of rejected memories. */
  readonly refused: number
}

const sentencesPerQuestion = 40
const charactersPerQuestion = 4_000
/** Beyond this a text takes too long, and the local path is good enough for the rest. */
export const mostQuestions = 4
const memoriesPerSentence = 5

/** The sentences of each question; sentences beyond the limit are in none of them. */
export function questionsFor(sentences: readonly Sentence[]): Sentence[][] {
  const questions: Sentence[][] = []
  let characters = 0
  for (const sentence of sentences) {
    const current = questions.at(-1)
    characters += sentence.text.length
    if (current && current.length < sentencesPerQuestion && characters <= charactersPerQuestion) current.push(sentence)
    else if (questions.length === mostQuestions) break
    else {
      questions.push([sentence])
      characters = sentence.text.length
    }
  }
  return questions
}

/** @throws LanguageModelFailure also if the answer does not have the requested shape. */
export async function readByModel(
  model: LanguageModel,
  sentences: readonly Sentence[],
  budgetMs: number,
): Promise<Reading> {
  const asked = sentences.map(({ text, speaker, saidAt }, index) => ({
    n: index + 1,
    speaker: speaker ?? speakerWord,
    said: dayOf(saidAt),
    text,
  }))
  const answer = readingAnswer.safeParse(await model.complete(readingQuestion(asked), budgetMs))
  if (!answer.success) throw new LanguageModelFailure('The language model failed: its answer does not match the schema')
  const claims = answer.data.memories
  // A flood is nonsense, and checking it would take long.
  if (claims.length > sentences.length * memoriesPerSentence) return { memories: [], refused: claims.length }
  const whole = evidenceOf(sentences.flatMap(({ text, speaker }) => [text, speaker ?? '']))
  const memories = claims.flatMap((claim) => memoryOf(claim, sentences, whole) ?? [])
  return { memories, refused: claims.length - memories.length }
}

function memoryOf(claim: unknown, sentences: readonly Sentence[], whole: Evidence): ReadMemory | null {
  const read = claimedMemory.safeParse(claim)
  if (!read.success) return null
  const named = [...new Set(read.data.sentences)].sort((a, b) => a - b).map((n) => sentences[n - 1])
  // A number that was never given: the rest of this memory is not trustworthy either.
  if (!named.every((sentence) => sentence !== undefined)) return null
  const last = named.at(-1)
  // If the sentences span several turns, only the last turn counts; the others are handled without it.
  const own = named.filter(({ turn }) => turn === last?.turn)
  const evidence = joined(whole, evidenceOf(own.flatMap((sentence) => [...sentence.localTexts, ...nearDays(sentence)])))
  const { text } = read.data
  // The day of the statement is known, even if the text only says "today".
  const days = new Set(own.map(({ saidAt }) => dayOf(saidAt).slice(0, 10)))
  if (
    !isGrounded(
      [...days].reduce((rest, day) => rest.replaceAll(day, ' '), text),
      evidence,
    )
  )
    return null
  if (
    deniesByItself(
      text,
      own.map((sentence) => sentence.text),
    )
  )
    return null
  return {
    text,
    segments: own.map(({ segment }) => segment),
    entities: (read.data.entities ?? []).flatMap((each) => claimedEntity.safeParse(each).data ?? []),
    relationships: (read.data.relationships ?? []).flatMap((each) => claimedRelationship.safeParse(each).data ?? []),
    evidence,
  }
}

const msPerDay = 86_400_000
const dayWords: readonly [pattern: RegExp, days: number][] = [
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i, 0],
  [/\b(?:yesterday|last night)\b/i, -1],
  [/\btomorrow\b/i, 1],
]

/** Dates that a sentence clearly means, in their possible spellings. */
function nearDays({ text, saidAt }: Sentence): string[] {
  return dayWords.flatMap(([pattern, days]) => {
    if (!pattern.test(text)) return []
    const date = new Date(saidAt + days * msPerDay)
    const [iso] = date.toISOString().split('T')
    return [`${iso} ${date.toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' })}`]
  })
}

function joined(one: Evidence, other: Evidence): Evidence {
  return {
    words: new Set([...one.words, ...other.words]),
    numbers: new Set([...one.numbers, ...other.numbers]),
  }
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** "2026-03-02, Monday" */
export function dayOf(ms: number): string {
  const date = new Date(ms)
  return `${date.toISOString().slice(0, 10)}, ${weekdays[date.getUTCDay()]}`
}
