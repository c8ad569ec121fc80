import { parseArgs } from 'node:util'
import { type Keepsake, RateLimitError, ValidationError } from '@keepsake/client'
import { clockOf } from '../clock.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { confirmed } from '../confirm.js'
import { connect, connectionOptions, jsonOption } from '../connection.js'
import { questions } from '../demo/dialogues.js'
import { type DemoPart, planDemo } from '../demo/plan.js'
import { counted, writeJson, writeLine } from '../output.js'
import { showProgress } from '../progress.js'

const { project: _project, ...ownConnection } = connectionOptions

const options = {
  reset: { type: 'boolean', help: 'erase all memories of the demo user first' },
  yes: { type: 'boolean', short: 'y', help: 'don’t ask for confirmation' },
  ...jsonOption,
  ...ownConnection,
  user: { type: 'string', value: 'ID', help: 'the user to fill; default demo; KEEPSAKE_USER is ignored' },
} as const satisfies Options

export const demo: Command = {
  name: 'demo',
  summary: 'fill a demo user with a year of memories',
  usage: '',
  options,
  help: `Stores a year in the life of Nora Vale, a fictional person: about 340 memories over the last twelve months, in several projects, with
changes of mind that replace earlier statements, conversations, and memories that have expired or soon will. Then it asks a few questions,
so that some memories have been used. Everything goes through the normal API. A second run stores nothing twice, and continues an
interrupted one.

If authentication is on, it needs a key of the demo user. It waits for rate limits; with default settings it takes one to two minutes.`,
  examples: [
    'keepsake demo',
    'keepsake recall --user demo "Where do I live?"',
    'KEEPSAKE_API_KEY=$(KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys create --user demo) keepsake demo',
    'keepsake demo --reset',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    // An environment variable must not send the demo into somebody’s real memories.
    const userId = values.user ?? 'demo'
    const env = { ...io.env, KEEPSAKE_USER: undefined, KEEPSAKE_PROJECT: undefined }
    const client = connect({ timeout: '300', ...values, user: userId }, { ...io, env })
    if (values.reset && !(await erased(client, values.yes === true, io))) return exitCodes.failed
    const before = await storedParts(client)
    const report = await fill(client, before, io)
    if (report.stored > 0) await ask(client, io)
    if (values.json) await writeJson(io, { userId, ...report })
    else await writeLine(io.stdout, sentence(userId, report))
    return exitCodes.fine
  },
}

interface Report {
  readonly stored: number
  readonly replaced: number
  readonly known: number
}

interface Before {
  readonly names: ReadonlySet<string>
  /** The day of the first run; later runs continue with the same dates. */
  readonly baseMs: number | undefined
}

async function erased(client: Keepsake, isSure: boolean, io: Io): Promise<boolean> {
  if (!isSure && !(await confirmed(`Erase all memories of ${client.userId} permanently?`, io))) return false
  await client.forget({ all: true })
  return true
}

/** Finds the stored parts by the mark that each demo memory carries. */
async function storedParts(client: Keepsake): Promise<Before> {
  const names = new Set<string>()
  let baseMs: number | undefined
  for await (const { metadata } of client.list({ limit: 500, includeExpired: true })) {
    const { demo_part: name, demo_day: day } = metadata
    if (typeof name !== 'string' || typeof day !== 'string') continue
    names.add(name)
    baseMs = Date.parse(day)
  }
  return { names, baseMs }
}

async function fill(client: Keepsake, before: Before, io: Io): Promise<Report> {
  // Rounded to the hour, so that a run and its continuation use the same dates.
  const baseMs = before.baseMs ?? Math.floor(clockOf(io).now() / 3_600_000) * 3_600_000
  const parts = planDemo(baseMs)
  // Parts are stored in order. If one is there, all earlier ones were stored too, even if they have since expired and been purged.
  const next = parts.findLastIndex(({ name }) => before.names.has(name)) + 1
  const total = parts.slice(next).reduce((sum, { messages }) => sum + messages.length, 0)
  const progress = showProgress(io.stderr, { label: 'demo', unit: 'memories', total })
  let [stored, replaced] = [0, 0]
  try {
    for (const part of parts.slice(next)) {
      const { memories } = await withinLimits(io, () => storePart(client, part, baseMs))
      stored += memories.filter(({ action }) => action !== 'NOOP').length
      replaced += memories.filter(({ action }) => action === 'UPDATE').length
      progress.advance(part.messages.length)
    }
  } finally {
    progress.end()
  }
  return { stored, replaced, known: next }
}

async function storePart(client: Keepsake, { name, project, ttl, messages }: DemoPart, baseMs: number) {
  const metadata = { demo_part: name, demo_day: new Date(baseMs).toISOString(), topic: project ?? 'life' }
  try {
    return await client.store(messages, { project, ttl, metadata, source: 'demo' })
  } catch (error) {
    const isOthers = error instanceof ValidationError && error.details?.some(({ path }) => path === 'user_id')
    if (!isOthers) throw error
    const next = `keepsake keys create --user ${client.userId} creates one, or pass the user of this key with --user`
    throw new UsageError(`the key does not belong to the user ${client.userId}: ${next}`, { cause: error })
  }
}

/** A request refused by a rate limit was not processed and can be sent again. */
async function withinLimits<Answer>(io: Io, send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error
      await clockOf(io).sleep((error.retryAfter ?? 5) * 1000, new AbortController().signal)
    }
  }
}

async function ask(client: Keepsake, io: Io): Promise<void> {
  for (const question of questions) await withinLimits(io, () => client.recall(question, { limit: 5 }))
}

function sentence(userId: string, { stored, replaced, known }: Report): string {
  if (stored === 0) return `${userId} already has the whole year`
  const went = known === 0 ? '' : ', continuing an interrupted run'
  return `${userId}: ${counted(stored, 'memory', 'memories')} stored, ${replaced} of them replaced earlier ones${went}`
}
