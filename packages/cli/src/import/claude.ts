/**
 * Claude's export: `conversations.json` (conversations with `chat_messages`), `memories.json` (what it remembers about the user, and
 * about each project) and projects with their documents (`projects.json`, or one file per project in `projects/`). The fields of each
 * element show which of these it is. A project's instructions are left out: they are for the assistant and not a memory.
 */
import { type DialogueOptions, isConversations } from './chatgpt.js'
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { frontMatterOf } from './front-matter.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, textOf } from './item.js'
import { valuesOf } from './json-source.js'
import { readMemories as readMemoryBlock } from './memories.js'
import { dialoguePieces, itemsOf, textPieces } from './pieces.js'
import type { Reader } from './reader.js'

type Fields = Readonly<Record<string, unknown>>

/** The other files of the export are about the account. */
export const claude: Reader = {
  isFile: (name) => isConversations(name) || /(?:^|\/)(?:memories|projects)(?:\.json|\/[^/]+\.json)$/.test(name),
  isJson: isClaude,
  read: (file, options) => readClaude(valuesOf(file), options),
}

function isClaude(value: unknown): boolean {
  const fields = fieldsOf(value)
  return Array.isArray(fields.chat_messages) || isMemories(fields) || isProject(fields)
}

function isMemories(fields: Fields): boolean {
  return 'conversations_memory' in fields || 'project_memories' in fields || Array.isArray(fields.memory_files)
}

function isProject(fields: Fields): boolean {
  return Array.isArray(fields.docs) && 'name' in fields
}

export async function* readClaude(values: AsyncIterable<unknown>, options: DialogueOptions): AsyncGenerator<Read> {
  for await (const value of values) {
    const fields = fieldsOf(value)
    if (Array.isArray(fields.chat_messages)) yield* readConversation(fields, options)
    else if (isMemories(fields)) yield* readMemories(fields, options)
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
  yield* itemsOf(name, dialoguePieces(messages), { source: 'claude', metadata, createdAt })
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

/** Headed sections in two texts, or, since 2026, one Markdown file per topic with `[stated]` and `[inferred]` lines. */
function* readMemories(memories: Fields, { nowMs }: DialogueOptions): Generator<Read> {
  const general = ['Claude’s memory', textOf(memories.conversations_memory), { kind: 'memory' }] as const
  const ofProjects = Object.entries(fieldsOf(memories.project_memories)).map(([id, text]) => {
    const metadata = { kind: 'project memory', project_id: id }
    return [`Claude’s memory of project ${id}`, textOf(text), metadata] as const
  })
  for (const [name, text, metadata] of [general, ...ofProjects]) {
    if (!isBlank(text)) yield* readMemoryBlock({ name, text, assistant: 'claude', metadata }, nowMs)
  }
  for (const value of listOf(memories.memory_files)) {
    const file = fieldsOf(value)
    const { body } = frontMatterOf(cleanText(textOf(file.content)))
    const name = `Claude’s memory ${textOf(file.path)}`
    const createdAt = momentOf(file.updated_at, nowMs)
    const metadata = { kind: 'memory', file: textOf(file.path) }
    yield* readMemoryBlock({ name, text: body, assistant: 'claude', metadata, createdAt }, nowMs)
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
  yield* itemsOf(name, textPieces(cleanText(text)), { source: 'claude', metadata, createdAt })
}
