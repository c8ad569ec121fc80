/**
 * A dialogue given as one text, with lines such as `Ann: …`. Its lines are turns, like those of `messages`. A list of
 * keys and values ("Name: Ann", "Age: 5") looks similar: a text is a dialogue only if someone speaks twice, or if all
 * speakers have personal names.
 */
import { givenNames } from '../models/lexicon-names.js'
import { ordinaryWords } from '../models/lexicon-words.js'
import { genderOfName } from './name-genders.js'

export interface WrittenTurn {
  /** The original text including the name, without the line break after it. */
  readonly text: string
  /** Length of the prefix before the words: `Ann: `. */
  readonly lead: number
  readonly name: string
}

const line =
  /^([ \t]*(?:[-*>] )?(?:\*\*)?(\p{L}[\p{L}\p{M}\p{N}.'’-]*(?: \p{Lu}[\p{L}\p{M}\p{N}.'’-]*){0,2})(?:\*\*)?[ \t]?(?::\*\*|:)[ \t]+)\S/u
const mostLines = 5_000

interface Line {
  readonly start: number
  readonly lead: number
  readonly name: string | null
}

/** Null: not a dialogue. Joined by line breaks, the turns are the original text. */
export function writtenTurns(text: string): WrittenTurn[] | null {
  if (!text.includes('\n')) return null
  const lines = linesOf(text)
  if (lines.length < 2 || lines.length > mostLines) return null
  const speakers = speakersOf(lines)
  const [first] = lines
  if (!speakers || first?.name == null || !speakers.has(first.name)) return null
  const starts = lines.filter(({ name }) => name !== null && speakers.has(name))
  return starts.map(({ start, lead, name }, index) => {
    const next = starts[index + 1]?.start
    return {
      text: text.slice(index === 0 ? 0 : start, next === undefined ? text.length : next - 1),
      lead: lead + (index === 0 ? start : 0),
      name: name ?? '',
    }
  })
}

/** An empty line belongs to the line before it. */
function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (const written of text.split('\n')) {
    const [, lead = '', name = null] = line.exec(written.slice(0, 160)) ?? []
    if (/\S/u.test(written)) lines.push({ start, lead: lead.length, name })
    start += written.length + 1
  }
  return lines
}

const roles = new Set(
  'user human me assistant ai bot chatgpt system tool agent customer doctor patient interviewer interviewee caller host guest'.split(
    ' ',
  ),
)

function speakersOf(lines: readonly Line[]): Set<string> | null {
  const counts = new Map<string, number>()
  for (const { name } of lines) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  const people = [...counts.keys()].filter(isPerson)
  const twice = [...counts]
    .filter(([name, count]) => count > 1 && (isPerson(name) || isName(name)))
    .map(([name]) => name)
  const speakers = new Set([...people, ...twice])
  if (speakers.size < 2) {
    // One known and one unknown name that take turns.
    const others = [...counts.keys()].filter(isName)
    if (twice.length === 0 || others.length !== 2) return null
    return new Set(others)
  }
  // A list of keys and values may contain a name as a key.
  const spoken = lines.filter(({ name }) => name !== null && speakers.has(name)).length
  return spoken * 2 >= lines.length ? speakers : null
}

function isPerson(name: string): boolean {
  const first = name.toLowerCase().split(' ')[0] ?? ''
  return (
    roles.has(name.toLowerCase()) || givenNames.has(first) || (genderOfName(name) !== null && /^\p{Lu}/u.test(name))
  )
}

function isName(name: string): boolean {
  return (
    /^\p{Lu}/u.test(name) &&
    !ordinaryWords.has(name.toLowerCase()) &&
    !/^(?:Name|Age|City|Title|Date|Note|Notes|Summary|Todo|Subject|From|To|Location|Email|Phone|Address|Status|Type|Size|Color|Colour|Price|Warning|Error|Info|Example|Input|Output|Ingredients|Steps?|Time|Where|When|What|Who|Why|How)$/u.test(
      name,
    )
  )
}
