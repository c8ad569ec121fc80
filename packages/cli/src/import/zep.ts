/**
 * Results of Zep and Graphiti, as their clients return them: facts (edges of the graph), episodes, and threads or sessions with their
 * messages; alone, in an array, or in an object with `facts`, `edges`, `episodes`, `messages`, `threads` or `sessions`. A fact that
 * has stopped being true is left out, because it would come back as a current one. Nodes are left out: their summaries are
 * derived from facts.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, textOf } from './item.js'
import { valuesOf } from './json-source.js'
import { dialoguePieces, itemsOf, textPieces } from './pieces.js'
import type { Reader, ReadOptions } from './reader.js'

type Fields = Readonly<Record<string, unknown>>

export const zep: Reader = {
  isFile: (name) => /\.(?:json|jsonl|ndjson)$/i.test(name),
  isJson: (value) => isPart(fieldsOf(value)) || partsOf(fieldsOf(value)).some(isPart),
  async users(file) {
    const users = new Set<string>()
    for await (const value of valuesOf(file)) {
      for (const part of withParts(fieldsOf(value))) for (const user of usersOf(part)) users.add(user)
    }
    return [...users]
  },
  async *read(file, options) {
    let place = 0
    const loose: Fields[] = []
    for await (const value of valuesOf(file)) {
      for (const part of withParts(fieldsOf(value))) {
        place += 1
        const isWanted = options.fromUser === undefined || usersOf(part).includes(options.fromUser)
        if (isMessage(part)) loose.push(part)
        else if (isWanted) yield* readPart(part, place, options)
      }
    }
    // A list of messages is one thread.
    if (loose.length > 0) yield* readThread({ messages: loose }, place + 1, options)
  },
}

const lists = ['facts', 'edges', 'episodes', 'threads', 'sessions', 'results', 'items', 'data'] as const

function partsOf(fields: Fields): Fields[] {
  const parts = lists.flatMap((name) => listOf(fields[name]).map(fieldsOf))
  // Messages belong together: they are one conversation, whatever surrounds them.
  return isThread(fields) ? [fields, ...parts] : parts
}

function withParts(fields: Fields): Fields[] {
  const parts = partsOf(fields)
  return parts.length === 0 ? [fields] : parts
}

function isPart(fields: Fields): boolean {
  return isFact(fields) || isThread(fields) || isEpisode(fields) || isMessage(fields)
}

function isFact(fields: Fields): boolean {
  return typeof fields.fact === 'string' && ['uuid', 'created_at', 'valid_at'].some((name) => name in fields)
}

/** Zep's messages have a uuid, or since version 3 a role that may be a name. */
function isThread({ messages }: Fields): boolean {
  const [first] = listOf(messages).map(fieldsOf)
  return first !== undefined && isMessage(first)
}

function isMessage(fields: Fields): boolean {
  const isMarked = 'uuid' in fields || 'role_type' in fields
  return typeof fields.content === 'string' && 'role' in fields && isMarked && !isEpisode(fields)
}

function isEpisode(fields: Fields): boolean {
  return (
    typeof fields.content === 'string' && 'uuid' in fields && ('source' in fields || 'source_description' in fields)
  )
}

/** A graph belongs to a user, or to a group of Graphiti. */
function usersOf({ user_id: user, group_id: group }: Fields): string[] {
  return [user, group]
    .map(textOf)
    .filter((id) => id !== '')
    .slice(0, 1)
}

function* readPart(part: Fields, place: number, options: ReadOptions): Generator<Read> {
  if (isFact(part)) yield* readFact(part, textOf(part.uuid) || `fact ${place}`, options)
  else if (isThread(part)) yield* readThread(part, place, options)
  else if (isEpisode(part)) yield* readEpisode(part, options)
  else if (typeof part.summary !== 'string') yield leftOut(`entry ${place}`, 'it is no fact, episode or thread')
}

const labels = ['uuid', 'name', 'valid_at', 'invalid_at', 'rating', 'score', 'attributes'] as const

function* readFact(fact: Fields, name: string, { nowMs }: ReadOptions): Generator<Read> {
  const text = cleanText(textOf(fact.fact))
  if (isBlank(text)) return yield leftOut(name, 'it has no text')
  const ended = momentOf(fact.invalid_at, nowMs) ?? momentOf(fact.expired_at, nowMs)
  if (ended !== undefined) return yield leftOut(name, `it stopped being true on ${ended.slice(0, 10)}`)
  // When it became true, so that a question about the past finds it.
  const createdAt = momentOf(fact.valid_at, nowMs) ?? momentOf(fact.created_at, nowMs)
  const told = labels.flatMap((label) => (isTold(fact[label]) ? [[`zep_${label}`, fact[label]]] : []))
  yield* readText(name, text, { ...fieldsOf(fact.metadata), ...Object.fromEntries(told) }, createdAt)
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(typeof value === 'object' && isEmpty(value))
}

function isEmpty(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0
}

function* readThread(thread: Fields, place: number, options: ReadOptions): Generator<Read> {
  const id = [thread.thread_id, thread.session_id, thread.uuid].map(textOf).find((each) => each !== '') ?? ''
  const name = id || `thread ${place}`
  const messages = listOf(thread.messages).flatMap((each) => messageOf(fieldsOf(each), options))
  if (messages.length === 0) return yield leftOut(name, 'it contains no text')
  const created = [thread.thread_created_at, thread.created_at].map((value) => momentOf(value, options.nowMs))
  const createdAt = created.find((moment) => moment !== undefined) ?? messages[0]?.createdAt
  const metadata = cleanMetadata({ ...fieldsOf(thread.metadata), ...(id === '' ? {} : { conversation_id: id }) })
  yield* itemsOf(name, dialoguePieces(messages), { source: 'zep', metadata, createdAt })
}

/** `role_type` is the kind of speaker, and `role` a name, in version 2; later `role` is the kind. */
function messageOf(message: Fields, { nowMs, userOnly }: ReadOptions): ImportMessage[] {
  const role = textOf(message.role_type) || textOf(message.role)
  const content = cleanText(textOf(message.content))
  if (isBlank(content) || (role !== 'user' && (role !== 'assistant' || userOnly))) return []
  const createdAt = momentOf(message.reference_time, nowMs) ?? momentOf(message.created_at, nowMs)
  return [{ role, content, ...(createdAt === undefined ? {} : { createdAt }) }]
}

/** A text or a message that was added to a graph. Others are JSON of an application. */
function* readEpisode(episode: Fields, options: ReadOptions): Generator<Read> {
  const name = textOf(episode.uuid)
  const source = textOf(episode.source) || 'text'
  const text = cleanText(textOf(episode.content))
  if (source !== 'text' && source !== 'message') return yield leftOut(name, `it is ${source}, not text`)
  if (isBlank(text)) return yield leftOut(name, 'it has no text')
  const createdAt = momentOf(episode.valid_at, options.nowMs) ?? momentOf(episode.created_at, options.nowMs)
  const metadata = { zep_uuid: name, ...fieldsOf(episode.metadata) }
  const isOfAssistant = [episode.role_type, episode.role].includes('assistant')
  if (isOfAssistant && options.userOnly) return
  if (!isOfAssistant) return yield* readText(name, text, metadata, createdAt)
  yield* itemsOf(name, dialoguePieces([{ role: 'assistant', content: text }]), {
    source: 'zep',
    metadata: cleanMetadata(metadata),
    createdAt,
  })
}

function* readText(name: string, text: string, fields: Fields, createdAt: string | undefined): Generator<Read> {
  const metadata = cleanMetadata(fields)
  yield* itemsOf(name, textPieces(text), { source: 'zep', metadata, createdAt })
}
