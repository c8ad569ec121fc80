/** People of MSC: how many of their persona facts a profile of 400 tokens covers. */
import { keyWords } from '../../packages/server/src/facts/statements/key-words.js'
import { isHeldOut, overlap, readUtterances, type Utterance } from '../../training/profile/msc.js'
import type { Line, MeasuredService } from './service.js'

export const doors = ['content', 'messages'] as const
export type Door = (typeof doors)[number]

export interface Conversation {
  readonly conv: string
  readonly turns: readonly Utterance[]
}

/** Conversations that taught the model nothing. */
export function heldOutConversations(data: string): Conversation[] {
  const turns = new Map<string, Utterance[]>()
  for (const utterance of readUtterances(data)) {
    if (!isHeldOut(utterance.conv)) continue
    const own = turns.get(utterance.conv)
    if (own) own.push(utterance)
    else turns.set(utterance.conv, [utterance])
  }
  return [...turns].map(([conv, own]) => ({ conv, turns: own }))
}

export interface Coverage {
  people: number
  facts: number
  /** A statement of the utterance that expresses the fact is shown, or a line has 60% of its words. */
  covered: number
  /** The shown statement itself has a third of the fact's words, or a line has 60% of them. */
  inWords: number
  lines: number
  /** Lines of utterances that express some fact. */
  factLines: number
  tokens: number
}

export const noCoverage = (): Coverage => ({
  people: 0,
  facts: 0,
  covered: 0,
  inWords: 0,
  lines: 0,
  factLines: 0,
  tokens: 0,
})

const firstDay = Date.UTC(2025, 0, 1)
const dayMs = 86_400_000

function saidAt({ id }: Utterance, place: number): string {
  const session = Number(/^s(\d+)/.exec(id)?.[1] ?? 1)
  return new Date(firstDay + session * 7 * dayMs + place * 60_000).toISOString()
}

const sessionOf = ({ id }: Utterance) => id.split(':')[0] ?? ''

export async function cover(
  service: MeasuredService,
  { conv, turns }: Conversation,
  door: Door,
  result: Coverage,
): Promise<void> {
  for (const speaker of new Set(turns.map((turn) => turn.speaker))) {
    const user = `${door} ${conv} ${speaker}`
    const own = turns.filter((turn) => turn.speaker === speaker)
    const idOf =
      door === 'content' ? await storeTurns(service, user, own) : await storeSessions(service, user, speaker, turns)
    const { topics, tokens } = await service.profile(user)
    const lines = topics.flatMap((topic) => topic.lines)
    count(result, own, lines, (line) => idOf.get(line.memory_id) ?? utteranceWith(own, line)?.id)
    result.people += 1
    result.tokens += tokens
  }
}

async function storeTurns(
  service: MeasuredService,
  user_id: string,
  own: readonly Utterance[],
): Promise<Map<string, string>> {
  const idOf = new Map<string, string>()
  for (const [place, turn] of own.entries()) {
    if (turn.text.trim() === '') continue
    const { memories } = await service.store({ user_id, content: turn.text, created_at: saidAt(turn, place) })
    for (const { id } of memories) if (!idOf.has(id)) idOf.set(id, turn.id)
  }
  return idOf
}

/** One request per session, with the other speaker as the assistant. */
async function storeSessions(
  service: MeasuredService,
  user_id: string,
  speaker: string,
  turns: readonly Utterance[],
): Promise<Map<string, string>> {
  for (const session of new Set(turns.map(sessionOf))) {
    const messages = turns
      .filter((turn) => sessionOf(turn) === session && turn.text.trim() !== '')
      .map((turn, place) => ({
        role: turn.speaker === speaker ? 'user' : 'assistant',
        content: turn.text,
        created_at: saidAt(turn, place),
      }))
    await service.store({ user_id, messages })
  }
  return new Map()
}

/** The response does not say which message a memory came from: the words tell. */
function utteranceWith(own: readonly Utterance[], { text }: Line): Utterance | undefined {
  const words = keyWords(text)
  const shares = own.map((turn) => (turn.text.includes(text) ? 2 : overlap(words, keyWords(turn.text))))
  const best = Math.max(...shares)
  return best < 0.8 ? undefined : own[shares.indexOf(best)]
}

function count(
  result: Coverage,
  own: readonly Utterance[],
  lines: readonly Line[],
  sourceOf: (line: Line) => string | undefined,
): void {
  const shown = lines.map((line) => ({ source: sourceOf(line), words: keyWords(line.text) }))
  const telling = new Set(own.filter(({ facts }) => facts.length > 0).map(({ id }) => id))
  result.lines += shown.length
  result.factLines += shown.filter(({ source }) => source !== undefined && telling.has(source)).length
  for (const { id, facts } of own) {
    for (const fact of facts) {
      const words = keyWords(fact)
      const isInLine = shown.some((line) => overlap(words, line.words) >= 0.6)
      result.facts += 1
      if (isInLine || shown.some(({ source }) => source === id)) result.covered += 1
      if (isInLine || shown.some((line) => line.source === id && overlap(words, line.words) >= 0.34))
        result.inWords += 1
    }
  }
}
