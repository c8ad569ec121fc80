/**
 * ChatGPT's export: `conversations.json`, in newer exports also `conversations-000.json` and so on. A conversation is a tree, because
 * messages can be edited and answers regenerated: `mapping` holds its nodes by id, and `current_node` is the end of the branch that
 * was last shown. Only that branch is imported.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, textOf } from './item.js'
import type { JsonElement } from './json-elements.js'
import { elementsOf } from './json-source.js'
import { dialoguePieces, itemsOf } from './pieces.js'
import type { Reader } from './reader.js'

type Fields = Readonly<Record<string, unknown>>

export function isConversations(name: string): boolean {
  return /(?:^|\/)conversations(?:[-_]\d+)?\.json$/.test(name)
}

export const chatGpt: Reader = {
  isFile: isConversations,
  isJson: isChatGpt,
  read: (file, options) => readChatGpt(elementsOf(file), options),
}

function isChatGpt(value: unknown): boolean {
  const { mapping } = fieldsOf(value)
  return typeof mapping === 'object' && mapping !== null
}

export interface DialogueOptions {
  readonly nowMs: number
  /** Skips what the assistant said. */
  readonly userOnly: boolean
}

export async function* readChatGpt(
  elements: AsyncIterable<JsonElement>,
  options: DialogueOptions,
): AsyncGenerator<Read> {
  for await (const { value } of elements) {
    if (isChatGpt(value)) yield* readConversation(fieldsOf(value), options)
  }
}

function* readConversation(conversation: Fields, options: DialogueOptions): Generator<Read> {
  const id = textOf(conversation.conversation_id) || textOf(conversation.id)
  const title = cleanText(textOf(conversation.title))
  const name = title || id || 'a conversation'
  if (conversation.is_do_not_remember === true) return yield leftOut(name, 'it is marked “do not remember”')
  const messages = branchOf(conversation).flatMap((node) => messageOf(node, options))
  if (messages.length === 0) return yield leftOut(name, 'it contains no text')
  const createdAt = momentOf(conversation.create_time, options.nowMs)
  const metadata = cleanMetadata({ conversation_id: id, title })
  yield* itemsOf(name, dialoguePieces(messages), { source: 'chatgpt', metadata, createdAt })
}

/** The messages of the current branch, oldest first. */
function branchOf(conversation: Fields): Fields[] {
  const nodes = fieldsOf(conversation.mapping)
  const branch: Fields[] = []
  const seen = new Set<string>()
  let id = textOf(conversation.current_node)
  if (!Object.hasOwn(nodes, id)) id = latestEnd(nodes)
  while (Object.hasOwn(nodes, id) && !seen.has(id)) {
    // A damaged file may contain a cycle.
    seen.add(id)
    const node = fieldsOf(nodes[id])
    branch.push(fieldsOf(node.message))
    id = textOf(node.parent)
  }
  return branch.reverse()
}

/** Old exports have no current node. */
function latestEnd(nodes: Fields): string {
  let [latest, latestTime] = ['', Number.NEGATIVE_INFINITY]
  for (const [id, value] of Object.entries(nodes)) {
    const { children, message } = fieldsOf(value)
    const time = Number(fieldsOf(message).create_time ?? 0)
    if (listOf(children).length === 0 && time >= latestTime) [latest, latestTime] = [id, time]
  }
  return latest
}

/** Content types of spoken or written text. The others are code, thoughts, tool results and settings. */
const spoken: ReadonlySet<string> = new Set(['text', 'multimodal_text'])

function messageOf(message: Fields, { nowMs, userOnly }: DialogueOptions): ImportMessage[] {
  const { role } = fieldsOf(message.author)
  const content = fieldsOf(message.content)
  if (role !== 'user' && (role !== 'assistant' || userOnly)) return []
  if (!spoken.has(textOf(content.content_type))) return []
  if (fieldsOf(message.metadata).is_visually_hidden_from_conversation === true) return []
  // The assistant addresses this message to a tool, not to the user.
  if (typeof message.recipient === 'string' && message.recipient !== 'all') return []
  const text = cleanText(listOf(content.parts).map(partOf).filter(Boolean).join('\n'))
  if (isBlank(text)) return []
  const createdAt = momentOf(message.create_time, nowMs)
  return [{ role, content: text, ...(createdAt === undefined ? {} : { createdAt }) }]
}

/** Speech comes as an object with its transcription; pictures and files have no text. */
function partOf(part: unknown): string {
  if (typeof part === 'string') return part
  const { content_type: type, text } = fieldsOf(part)
  return type === 'audio_transcription' ? textOf(text) : ''
}
