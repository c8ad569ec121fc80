import { parseArgs } from 'node:util'
import { type Message, markedContent, type StoreMemoriesAnswer } from '@keepsake/client'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { momentOption, pairs, readNamed, textFrom } from '../input.js'
import { counted, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const options = {
  messages: { type: 'string', value: 'FILE', help: 'a conversation as JSON or JSON Lines; - reads standard input' },
  ttl: {
    type: 'string',
    value: 'TTL',
    help: '30min minutes, 24h hours, 7d days, 2w weeks, 3m or 3mo months, 1y years, permanent, or session, conversation, short_term, long_term',
  },
  metadata: {
    type: 'string',
    value: 'KEY=TEXT',
    multiple: true,
    short: 'm',
    help: 'metadata, or KEY:=JSON; can be repeated',
  },
  'created-at': { type: 'string', value: 'TIME', help: 'when it was said, if not now: 2026-05-01' },
  source: { type: 'string', value: 'NAME', help: 'where it comes from; default cli' },
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    help: 'sending the same key again stores nothing twice',
  },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

export const store: Command = {
  name: 'store',
  summary: 'store a text or a conversation',
  usage: '[TEXT…]',
  options,
  help: `Stores the text that is typed or piped in. The text becomes memories. Each is printed on one line with its outcome (ADD is new,
NOOP is already known, UPDATE replaces the memories it contradicts) and the time it expires. In a TTL, m is months, and min is minutes.

A file of messages is a JSON array of {"role", "content", "name"?, "created_at"?}, or one such object per line.`,
  examples: [
    'keepsake store --user ana "John works at Acme Corp. I love hiking."',
    'keepsake store --user ana --project travel --ttl 30d < notes.txt',
    'keepsake store --user ana -m topic=people -m rating:=5 "Zoe lives in Berlin."',
    'keepsake store --user ana --messages chat.json --created-at 2026-05-01',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { messages, source = 'cli', ttl, json } = values
    if (messages !== undefined && positionals.length > 0) throw new UsageError('pass a text or --messages, not both')
    const metadata = pairs('metadata', values.metadata)
    const createdAt = momentOption('created-at', values['created-at'])
    const client = connect(values, io)
    const what =
      messages === undefined
        ? await textFrom(io, positionals, 'the text')
        : messagesOf(await readNamed(io, messages), messages)
    const idempotencyKey = values['idempotency-key']
    const answer = await client.store(what, { ttl, source, metadata, createdAt, idempotencyKey })
    if (json) await writeJson(io, answer)
    else for (const line of linesOf(answer, painterFor(io))) await writeLine(io.stdout, line)
    return exitCodes.fine
  },
}

function linesOf(answer: StoreMemoriesAnswer, paint: ReturnType<typeof painterFor>): string[] {
  const colours = { ADD: 'green', UPDATE: 'yellow', NOOP: 'dim' } as const
  const { memories, entitiesExtracted, relationshipsCreated, degraded = [], redacted = [] } = answer
  const summary = [
    counted(memories.length, 'memory', 'memories'),
    counted(entitiesExtracted, 'entity', 'entities'),
    counted(relationshipsCreated, 'relationship'),
  ].join(', ')
  return [
    ...memories.map((memory) => {
      const { action, id, createdAt, expiresAt, supersedes = [] } = memory
      const expiry = expiresAt === null ? '' : `  expires ${expiryText(expiresAt, createdAt)}`
      const replaced = supersedes.length === 0 ? '' : `  replaces ${supersedes.join(', ')}`
      return `${paint(colours[action], action.padEnd(6))}  ${paint('dim', id)}  ${oneLine(markedContent(memory))}${paint('dim', `${expiry}${replaced}`)}`
    }),
    paint('dim', summary),
    ...(degraded.length === 0 ? [] : [paint('yellow', `completed without: ${oneLine(degraded.join(', '))}`)]),
    ...(redacted.length === 0 ? [] : [paint('yellow', `secrets were not stored: ${oneLine(kindsOf(redacted))}`)]),
  ]
}

const shortMs = 2 * 86_400_000

/** The day, and for a short lifetime the time too. */
function expiryText(expiresAt: string, createdAt: string): string {
  const isShort = Date.parse(expiresAt) - Date.parse(createdAt) < shortMs
  return isShort ? `${expiresAt.slice(0, 16).replace('T', ' ')} UTC` : expiresAt.slice(0, 10)
}

function kindsOf(redacted: NonNullable<StoreMemoriesAnswer['redacted']>): string {
  return redacted.map(({ kind, count }) => (count === 1 ? kind : `${kind} (${count})`)).join(', ')
}

/** The service validates the rest and names the invalid field. */
function messagesOf(text: string, name: string): Message[] {
  const found = parsedMessages(text, name)
  const shape = `${name} must contain messages: {"role": "user", "content": "…"}`
  if (found.length === 0) throw new UsageError(shape)
  return found.map((each) => {
    if (typeof each !== 'object' || each === null || !('role' in each) || !('content' in each))
      throw new UsageError(shape)
    // The service validates all other fields.
    return each as Message
  })
}

function parsedMessages(text: string, name: string): unknown[] {
  try {
    if (text.trimStart().startsWith('[')) {
      const list: unknown = JSON.parse(text)
      return Array.isArray(list) ? list : []
    }
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.map((line): unknown => JSON.parse(line))
  } catch (error) {
    // The parser's message is not shown because it quotes the file.
    throw new UsageError(`${name} is neither JSON nor JSON Lines`, { cause: error })
  }
}
