/**
 * Claude's export: `conversations.json` (conversations with `chat_messages`), `memories.json` (what it remembers about the user, and
 * about each project) and projects with their documents (`projects.json`, or one file per project in `projects/`). The fields of each
 * element show which of these it is. A project's instructions are left out: they are for the assistant and not a memory.
 */
import type { DialogueOptions } from './chatgpt.js'
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, textOf } from './item.js'
import { dialoguePieces, numbered, textPieces } from './pieces.js'

type Fields = Readonly<Record<string, unknown>>

export function isClaude(value: unknown): boolean {
  const fields = fieldsOf(value)
  return Array.isArray(fields.chat_messages) || isMemories(fields) || isProject(fields)
}

function isMemories(fields: Fields): boolean {
  return 'conversations_memory' in fields || 'project_memories' in fields
}

function isProject(fields: Fields): boolean {
  return Array.isArray(fields.docs) && 'name' in fields
}

export async function* readClaude(values: AsyncIterable<unknown>, options: DialogueOptions): AsyncGenerator<Read> {
  for await (const value of values) {
    const fields = fieldsOf(value)
    if (Array.isArray(fields.chat_messages)) yield* readConversation(fields, options)
    else if (isMemories(fields)) yield* readMemories(fields)
    else if (isProject(fields)) yield* readProject(fields, options)
  }
}

function* readConversation(conversation: Fields, options: DialogueOptions): Generator<Read> {
  const id = textOf(conversation.uuid)
  const title = cleanText(textOf(conversation.name))
  const name = title || id || 'a conversation'
  const messages = listOf(conversation.chat_messages).flatMap((message) => messageOf(fieldsOf(message), options))
  if (messages.length === 0) return yield leftOut(name, 'it contains no text')
  const createdAt = momentOf(conversation.created_at, options.nowMs)
  const metadata = cleanMetadata({ conversation_id: id, title })
  for (const [part, piece] of numbered(name, dialoguePieces(messages))) {
    yield {
      kind: 'item',
      name: part,
      text: piece,
      metadata,
      source: 'claude',
      ...(createdAt === undefined ? {} : { createdAt }),
    }
  }
}

function messageOf(message: Fields, { nowMs, userOnly }: DialogueOptions): ImportMessage[] {
  const role = message.sender === 'human' ? 'user' : message.sender
  if (role !== 'user' && (role !== 'assistant' || userOnly)) return []
  // `text` has a placeholder for each block it can't show, so the text blocks are used instead.
  const said = listOf(message.content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'text')
  const text = cleanText(said.map((block) => textOf(block.text)).join('\n') || textOf(message.text))
  if (isBlank(text)) return []
  const createdAt = momentOf(message.created_at, nowMs)
  return [{ role, content: text, ...(createdAt === undefined ? {} : { createdAt }) }]
}

function* readMemories(memories: Fields): Generator<Read> {
  yield* readText('Claude’s memory', textOf(memories.conversations_memory), { kind: 'memory' })
  for (const [project, text] of Object.entries(fieldsOf(memories.project_memories))) {
    yield* readText(`Claude’s memory of project ${project}`, textOf(text), {
      kind: 'project memory',
      project_id: project,
    })
  }
}

function* readProject(project: Fields, { nowMs }: DialogueOptions): Generator<Read> {
  const name = cleanText(textOf(project.name)) || textOf(project.uuid)
  if (project.is_starter_project === true) return yield leftOut(name, 'it is the sample project of every account')
  const labels = { project: name, project_id: textOf(project.uuid) }
  yield* readText(
    name,
    textOf(project.description),
    { kind: 'project', ...labels },
    momentOf(project.created_at, nowMs),
  )
  for (const value of listOf(project.docs)) {
    const document = fieldsOf(value)
    const file = textOf(document.filename)
    const createdAt = momentOf(document.created_at, nowMs)
    yield* readText(
      `${name}: ${file}`,
      textOf(document.content),
      { kind: 'project document', file, ...labels },
      createdAt,
    )
  }
}

function* readText(name: string, text: string, labels: Fields, createdAt?: string): Generator<Read> {
  const metadata = cleanMetadata(labels)
  for (const [part, piece] of numbered(name, textPieces(cleanText(text)))) {
    yield {
      kind: 'item',
      name: part,
      text: piece,
      metadata,
      source: 'claude',
      ...(createdAt === undefined ? {} : { createdAt }),
    }
  }
}
