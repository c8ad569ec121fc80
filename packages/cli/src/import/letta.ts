/**
 * Letta's agent files (`.af`) and lists of archival passages. An agent file has agents with their messages, and the blocks of their
 * core memory; older ones are one agent with `core_memory`. The persona is left out, because it describes the agent, and so are
 * system messages, tool calls and thoughts.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, textOf } from './item.js'
import { valuesOf } from './json-source.js'
import { dialoguePieces, itemsOf, textPieces } from './pieces.js'
import type { Reader, ReadOptions } from './reader.js'

type Fields = Readonly<Record<string, unknown>>

export const letta: Reader = {
  isFile: (name) => /\.(?:af|json|jsonl)$/i.test(name),
  isJson: (value) => isAgentFile(fieldsOf(value)) || isOldAgent(fieldsOf(value)) || isPassage(fieldsOf(value)),
  async *read(file, options) {
    let place = 0
    for await (const value of valuesOf(file)) {
      const fields = fieldsOf(value)
      place += 1
      if (isAgentFile(fields)) yield* readAgentFile(fields, options)
      else if (isOldAgent(fields)) yield* readAgent(fields, listOf(fields.core_memory), options)
      else if (isPassage(fields)) yield* readPassage(fields, `passage ${place}`, options)
      else yield leftOut(`entry ${place}`, 'it is no agent or passage')
    }
  },
}

function isAgentFile({ agents, blocks }: Fields): boolean {
  return Array.isArray(agents) && Array.isArray(blocks)
}

function isOldAgent({ core_memory: blocks, messages }: Fields): boolean {
  return Array.isArray(blocks) && Array.isArray(messages)
}

function isPassage({ text, id, embedding_config: embedding, archive_id: archive, source_id: source }: Fields): boolean {
  const isNamed = textOf(id).startsWith('passage-')
  return typeof text === 'string' && (isNamed || [embedding, archive, source].some((each) => each !== undefined))
}

function* readAgentFile(file: Fields, options: ReadOptions): Generator<Read> {
  const shared = new Set<unknown>()
  for (const value of listOf(file.agents)) {
    const agent = fieldsOf(value)
    const ids = new Set(listOf(agent.block_ids))
    // Agents can share a block.
    const blocks = listOf(file.blocks).filter((block) => ids.has(fieldsOf(block).id) && !shared.has(block))
    for (const block of blocks) shared.add(block)
    yield* readAgent(agent, blocks, options)
  }
  for (const block of listOf(file.blocks)) if (!shared.has(block)) yield* readBlock(fieldsOf(block), '', options)
  yield* readPassages(file, '', options)
}

function* readAgent(agent: Fields, blocks: readonly unknown[], options: ReadOptions): Generator<Read> {
  const name = cleanText(textOf(agent.name)) || textOf(agent.id)
  for (const block of blocks) yield* readBlock(fieldsOf(block), name, options)
  yield* readPassages(agent, name, options)
  yield* readMessages(agent, name, options)
}

/** A line of a template that nothing was written into yet: `Last name: ?`, `- [none yet]`. */
function isUnfilled(line: string): boolean {
  const value = line.slice(line.indexOf(':') + 1).trim()
  return /^(?:[-*] )?(?:\?|\[(?:unknown|none yet|none|empty)\])$/i.test(value)
}

function* readBlock(block: Fields, agent: string, { nowMs }: ReadOptions): Generator<Read> {
  const label = cleanText(textOf(block.label)) || textOf(block.id)
  const name = [agent, label].filter((each) => each !== '').join(': ')
  if (/persona/i.test(label)) return yield leftOut(name, 'it describes the agent')
  const lines = cleanText(textOf(block.value)).split('\n')
  const text = lines.filter((line) => !isUnfilled(line)).join('\n')
  if (isBlank(text)) return yield leftOut(name, 'it has no text')
  const createdAt = momentOf(block.updated_at, nowMs) ?? momentOf(block.created_at, nowMs)
  yield* readText(name, text, { kind: 'memory block', letta_block: label, letta_agent: agent }, createdAt)
}

function* readPassages(fields: Fields, agent: string, options: ReadOptions): Generator<Read> {
  const lists = [fields.passages, fields.archival_memory, fields.archival_passages]
  const passages = lists.flatMap((list) => listOf(list).map(fieldsOf))
  for (const [at, passage] of passages.entries()) {
    yield* readPassage(passage, [agent, `passage ${at + 1}`].filter((each) => each !== '').join(': '), options, agent)
  }
}

function* readPassage(passage: Fields, name: string, { nowMs }: ReadOptions, agent = ''): Generator<Read> {
  const text = cleanText(textOf(passage.text))
  if (isBlank(text)) return yield leftOut(name, 'it has no text')
  if (passage.is_deleted === true) return yield leftOut(name, 'it was deleted')
  const tags = listOf(passage.tags).map(textOf)
  yield* readText(
    name,
    text,
    {
      ...fieldsOf(passage.metadata ?? passage.metadata_),
      kind: 'archival memory',
      letta_agent: agent,
      letta_id: textOf(passage.id),
      ...(tags.length === 0 ? {} : { tags }),
    },
    momentOf(passage.created_at, nowMs),
  )
}

function* readText(name: string, text: string, fields: Fields, createdAt: string | undefined): Generator<Read> {
  const told = Object.entries(fields).filter(([, value]) => value !== '')
  const metadata = cleanMetadata(Object.fromEntries(told))
  yield* itemsOf(name, textPieces(text), { source: 'letta', metadata, createdAt })
}

function* readMessages(agent: Fields, name: string, options: ReadOptions): Generator<Read> {
  const messages = listOf(agent.messages).flatMap((each) => messageOf(fieldsOf(each), agent, options))
  const id = textOf(agent.id)
  const metadata = cleanMetadata({ conversation_id: [name, id].filter((each) => each !== '').join(' '), title: name })
  for (const item of itemsOf(`${name}: messages`, dialoguePieces(messages), { source: 'letta', metadata })) {
    // Each piece has the time of its first message.
    const [first] = Array.isArray(item.text) ? item.text : []
    yield first?.createdAt === undefined ? item : { ...item, createdAt: first.createdAt }
  }
}

function messageOf(message: Fields, agent: Fields, { nowMs, userOnly }: ReadOptions): ImportMessage[] {
  const { role } = message
  if (role !== 'user' && (role !== 'assistant' || userOnly)) return []
  const written = role === 'user' ? typedIn(textIn(message)) : saidIn(message, agent)
  const content = cleanText(written)
  if (isBlank(content)) return []
  const createdAt = momentOf(message.created_at, nowMs)
  return [{ role, content, ...(createdAt === undefined ? {} : { createdAt }) }]
}

/** The content is a text, or a list of parts, of which some are text. */
function textIn({ content, text }: Fields): string {
  if (typeof content === 'string' || !Array.isArray(content)) return textOf(content) || textOf(text)
  const parts = listOf(content).map(fieldsOf)
  return parts.flatMap((part) => (part.type === 'text' ? [textOf(part.text)] : [])).join('\n')
}

/** Letta wraps what a user types in JSON, and puts its own events, such as a login, in the same place. */
function typedIn(text: string): string {
  if (!text.startsWith('{')) return text
  const event = fieldsOf(parsed(text))
  if (typeof event.type !== 'string') return text
  return event.type === 'user_message' ? textOf(event.message) : ''
}

/** Older agents speak by calling a tool, and their content is a thought. */
function saidIn(message: Fields, agent: Fields): string {
  const calls = listOf(message.tool_calls).map((call) => fieldsOf(fieldsOf(call).function))
  const sent = calls.filter(({ name }) => name === 'send_message')
  if (sent.length > 0) return sent.map((call) => textOf(fieldsOf(parsed(textOf(call.arguments))).message)).join('\n')
  const isThought = calls.length > 0 && textOf(agent.agent_type).startsWith('memgpt')
  return isThought ? '' : textIn(message)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}
