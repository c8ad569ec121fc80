/**
 * Turns in a text that names its speakers: a single `Ann: …`, or a transcript with such lines. They are turns like those
 * of `messages`. Notes and lists of keys and values look similar ("Note: …", "Name: Ann", "Berlin: 7"): see
 * `models/speaker-name.ts` for names and labels, and `speakersOf` for a text of several lines.
 */
import { isSentence, nameKind, saysI } from '../language/names/speaker-name.js'
import { isSmallTalk } from './small-talk.js'

export interface WrittenTurn {
  /** The original text including the name, without the line break after it. */
  readonly text: string
  /** Length of the prefix before the words: `Ann: `. */
  readonly lead: number
  /** Null for text before the first turn. */
  readonly name: string | null
  /** False if the name may be a label: the text belongs together, but "I" in it is the user. */
  readonly isSpeaker: boolean
}

const line =
  /^([ \t]*(?:[-*>] )?(?:\*\*)?(@?\p{L}[\p{L}\p{M}\p{N}.'’_-]*(?: \p{Lu}[\p{L}\p{M}\p{N}.'’-]*){0,2})(?:\*\*)?[ \t]?(?::\*\*|:)[ \t]+)\S/u
const mostLines = 5_000

interface Line {
  readonly start: number
  readonly lead: number
  readonly name: string | null
  /** A bullet or another mark is before the name. */
  readonly isMarked: boolean
  /** The words after the name. */
  readonly said: string
  /** An empty line is before it. */
  readonly isParagraph: boolean
}

type NamedLine = Line & { readonly name: string }

/** Null: nobody in particular speaks. Joined by line breaks, the turns are the original text. */
export function writtenTurns(text: string): WrittenTurn[] | null {
  if (!text.includes(':')) return null
  const lines = linesOf(text)
  if (lines.length > mostLines) return null
  const [first] = lines
  if (!first || lines.every(({ name }) => name === null)) return null
  const speakers = speakersOf(lines)
  if (speakers) return turnsOf(text, lines, speakers)
  return lines.length === 1 && first.name !== null && nameKind(first.name) === 'name'
    ? [{ text, lead: first.start + first.lead, name: first.name, isSpeaker: false }]
    : null
}

/** An empty line belongs to the line before it. */
function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let [start, end] = [0, 0]
  for (const written of text.split('\n')) {
    const [, lead = '', name = null] = line.exec(written.slice(0, 160)) ?? []
    const next = start + written.length + 1
    if (/\S/u.test(written)) {
      const isParagraph = lines.length > 0 && end < start
      const isMarked = /^\s*[-*>] /u.test(lead)
      lines.push({ start, lead: lead.length, name, isMarked, said: written.slice(lead.length), isParagraph })
      end = next
    }
    start = next
  }
  return lines
}

function turnsOf(text: string, lines: readonly Line[], speakers: ReadonlySet<string>): WrittenTurn[] {
  const starts = lines.filter(({ name }) => name !== null && speakers.has(name))
  const opening = starts[0] === lines[0] ? 0 : (starts[0]?.start ?? 0)
  const turns = starts.map(({ start, lead, name }, index): WrittenTurn => {
    const next = starts[index + 1]?.start
    const from = index === 0 ? opening : start
    return {
      text: text.slice(from, next === undefined ? text.length : next - 1),
      lead: start + lead - from,
      name,
      isSpeaker: true,
    }
  })
  if (opening === 0) return turns
  return [{ text: text.slice(0, opening - 1), lead: 0, name: null, isSpeaker: false }, ...turns]
}

/* ------------------------------------------------------------------ speakers */

/** Null: no dialogue. */
function speakersOf(lines: readonly Line[]): ReadonlySet<string> | null {
  const named = lines.filter((each): each is NamedLine => each.name !== null)
  const roles = chatRolesOf(lines, named)
  if (roles) return roles
  const several = severalSpeakers(named)
  const speakers = several.size > 1 ? several : new Set(speaksAlone(lines) ? [lines[0]?.name ?? ''] : [])
  const turns = named.filter(({ name }) => speakers.has(name))
  // A list of keys and values may contain a name as a key.
  if (turns.length > 1 && turns.length * 2 < lines.length) return null
  // "User: alice", "Host: db.example.com": a role is also the key of a setting.
  if (!turns.some((turn) => speaksAsRole(turn) || !role.test(turn.name))) return null
  return turns.some(hasInlineTurn) ? null : speakers
}

/** The roles of a chat with an assistant; the other roles are also topics of notes. */
const chatRole = /^(?:user|human|me|assistant|chatgpt)$/iu
/** Those that never name one person among several. */
const answeredRole = /^(?:user|human|assistant|chatgpt)$/iu
const assistantRole = /^(?:assistant|chatgpt)$/iu
const role =
  /^(?:user|human|me|assistant|ai|bot|chatgpt|system|tool|agent|customer|doctor|patient|interviewer|interviewee|caller|host|guest)$/iu

/**
 * A chat with an assistant, or one turn of it. Long answers are full of labels, names and lists, so only the roles speak.
 * Null: the text does not begin with such a role, or people speak in it too.
 */
function chatRolesOf(lines: readonly Line[], named: readonly NamedLine[]): ReadonlySet<string> | null {
  const [first] = lines
  if (!first?.name || !answeredRole.test(first.name)) return null
  const starts = named.filter(({ name, isMarked }) => answeredRole.test(name) && isMarked === first.isMarked)
  const sure = starts.filter((start, place) => {
    const next = starts[place + 1]
    return (
      speaksAsRole(start) || introducesText(start, lines.slice(lines.indexOf(start) + 1, next && lines.indexOf(next)))
    )
  })
  const roles = new Set(sure.map(({ name }) => name))
  if (!roles.has(first.name)) return null
  const others = named.filter(({ name, isMarked }) => !roles.has(name) && isMarked === first.isMarked)
  const isElse = others.some((other) =>
    speaksBeside(
      other,
      sure.findLast(({ start }) => start < other.start),
    ),
  )
  return isElse || sure.some((turn) => !assistantRole.test(turn.name) && hasInlineTurn(turn)) ? null : roles
}

/** In an assistant's answer, a name with a colon may introduce a quotation or what is told of somebody. */
function speaksBeside({ name, said }: NamedLine, turn: NamedLine | undefined): boolean {
  if (!role.test(name) && nameKind(name) === null) return false
  if (!turn || !assistantRole.test(turn.name)) return true
  return role.test(name) || (saysI(said) && !/^\s*["“„«‘']/u.test(said))
}

function speaksAsRole({ said }: Line): boolean {
  return isSentence(said) || isSmallTalk(said)
}

/** "Assistant: Goals:" before a text; not "Assistant: Maria Lopez" before what is known of her, and not "User: root". */
function introducesText({ name, said }: NamedLine, others: readonly Line[]): boolean {
  if (others.length === 0) return false
  if (/^(?:\S+\s+){3,}\S*[:：]\s*$/u.test(said)) return true
  if (!assistantRole.test(name) || !/[:：]\s*$|\S\s+\S/u.test(said)) return false
  return nameKind(said.trim()) === null && others.some((other) => isSentence(other.said))
}

/** Whether the name in the first line speaks all of the text. */
function speaksAlone(lines: readonly Line[]): boolean {
  const [first] = lines
  if (!first?.name) return false
  const { name, said } = first
  if (chatRole.test(name)) return speaksAsRole(first)
  // A field or a short note about somebody may be followed by others.
  const isFollowed = lines.some((each) => each !== first && (each.name !== null || each.isParagraph))
  if (nameKind(name) === 'person') return !isFollowed || isSentence(said)
  return nameKind(name) === 'name' && saysI(isFollowed ? said : lines.map((each) => each.said).join('\n'))
}

/** Fewer than two if there is no conversation. */
function severalSpeakers(named: readonly NamedLine[]): ReadonlySet<string> {
  const linesOf = new Map<string, NamedLine[]>()
  for (const each of named) {
    const own = linesOf.get(each.name)
    if (own) own.push(each)
    else linesOf.set(each.name, [each])
  }
  const possible = [...linesOf].filter(([name]) => role.test(name) || nameKind(name) !== null)
  const sure = possible.filter(
    ([name, own]) =>
      role.test(name) || nameKind(name) === 'person' || own.length > 1 || own.some(({ said }) => saysI(said)),
  )
  // Names that nothing confirms speak if no label is among them.
  const speakers = sure.length > 0 && possible.length === linesOf.size ? possible : sure
  return new Set(speakers.map(([name]) => name))
}

const inlineTurn = /[.!?…]["'”’)]?[ \t]+(\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*){0,2}):[ \t]+\S/gu

/** "Ann: I see. Bob: Good.": the words are not all by the first speaker. */
function hasInlineTurn({ said }: Pick<Line, 'said'>): boolean {
  return [...said.slice(0, 2_000).matchAll(inlineTurn)].some(([, name = '']) => nameKind(name) === 'person')
}
