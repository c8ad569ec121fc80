/** The user’s last prompts, from the transcript that a program keeps: JSON Lines of Claude Code or of Codex. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { idOf } from './id.js'

export interface Prompt {
  readonly text: string
  /** The same for the same prompt, so that it is stored once. */
  readonly id: string
}

/** A transcript grows to hundreds of megabytes; the last turns are at its end. */
const tailBytes = 1024 * 1024

/** Oldest first. Empty if the file cannot be read or has another format. */
export function lastPrompts(file: string, count: number): Prompt[] {
  const found: Prompt[] = []
  const isSeen = new Set<string>()
  const lines = tailOf(file).split('\n')
  for (let at = lines.length - 1; at >= 0 && found.length < count; at -= 1) {
    const prompt = promptIn(lines[at] ?? '')
    if (prompt === undefined || isSeen.has(prompt.id)) continue
    isSeen.add(prompt.id)
    found.unshift(prompt)
  }
  return found
}

function tailOf(file: string): string {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { size } = fstatSync(descriptor)
      const bytes = Buffer.alloc(Math.min(size, tailBytes))
      const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
      return bytes.subarray(0, read).toString('utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The program may have moved it. There is nothing to store then.
    return ''
  }
}

type Fields = Readonly<Record<string, unknown>>

function promptIn(line: string): Prompt | undefined {
  const entry = fieldsOf(line)
  if (entry === undefined) return undefined
  const text = claudeText(entry) ?? codexText(entry)
  if (text === undefined || text.trim() === '') return undefined
  return { text, id: typeof entry.uuid === 'string' ? idOf(entry.uuid) : idOf(String(entry.timestamp), text) }
}

/** Tool results, notes of the program, summaries and subagents’ tasks are `user` entries too. */
function claudeText(entry: Fields): string | undefined {
  const { type, message, isMeta, isSidechain, isCompactSummary } = entry
  if (type !== 'user' || isMeta === true || isSidechain === true || isCompactSummary === true) return undefined
  const content = isFields(message) ? message.content : undefined
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.some((part) => isFields(part) && part.type === 'tool_result')) return undefined
  return textsIn(content, 'text')
}

/** What the user typed. Codex records it a second time as a message, together with text of its own. */
function codexText({ type, payload }: Fields): string | undefined {
  if (type !== 'event_msg' || !isFields(payload) || payload.type !== 'user_message') return undefined
  return typeof payload.message === 'string' ? payload.message : undefined
}

function textsIn(parts: readonly unknown[], type: string): string {
  return parts
    .flatMap((part) => (isFields(part) && part.type === type && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
}

function fieldsOf(line: string): Fields | undefined {
  // The first line of the tail is usually cut off.
  if (!line.startsWith('{')) return undefined
  try {
    const parsed: unknown = JSON.parse(line)
    return isFields(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
