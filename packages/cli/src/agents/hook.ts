/**
 * `keepsake hook`: agents run it at the start of a session, before a prompt, after a turn and before they compact the conversation.
 * It answers within its time limit and always succeeds: an agent must work as well without memory. The event on standard input tells
 * which program asks, so every program has the same command; Cursor runs Claude Code’s hooks too and drops equal commands.
 */
import { blockOf } from './block.js'
import { idOf } from './id.js'
import {
  type Environment,
  hasPrograms,
  homeOf,
  type Place,
  placeIn,
  type Service,
  serviceOf,
  settingsIn,
} from './place.js'
import { projectOf } from './project.js'
import { sendJson } from './request.js'
import { readAll } from './stdin.js'
import type { Prompt } from './transcript.js'
import { limitsFor, queryOf } from './words.js'

/** The longest time a prompt waits. */
const recallTimeoutMs = 800
const totalTimeoutMs = 2000
const maxMemories = 5
const maxRecent = 10
const maxLineCharacters = 400
const minTrust = 0.8

type Fields = Readonly<Record<string, unknown>>

interface Call {
  readonly event: string
  readonly fields: Fields
  readonly session: string
  readonly project: string | undefined
}

interface Situation {
  readonly place: Place
  readonly service: Service | undefined
}

/** What is printed: nothing, or one JSON object. */
export async function answerHook(input: string, env: Environment, isStoringPrompts = false): Promise<string> {
  const place = placeIn(env)
  // A session that is still open after an uninstall keeps calling.
  const settings = hasPrograms(place) ? settingsIn(place) : undefined
  const call = settings === undefined ? undefined : callIn(input, env)
  if (settings === undefined || call === undefined) return ''
  const service = serviceOf(place, settings)
  if (service === undefined) await start(place)
  const situation = { place, service }
  if (isStart(call.event)) return output(call, await recent(situation, call))
  if (isPrompt(call.event)) {
    const block = await recalled(situation, call)
    // These programs give the prompt only here, or keep transcripts that only they can read.
    if (isStoringPrompts || call.event === 'beforeSubmitPrompt') await remember(call, promptOf(call))
    return output(call, block)
  }
  await remember(call, await spoken(call))
  return ''
}

const isStart = (event: string) => event === 'sessionstart' || event === 'sessionStart' || event === 'SessionStart'
const isPrompt = (event: string) => ['UserPromptSubmit', 'beforeSubmitPrompt', 'BeforeAgent'].includes(event)

function callIn(input: string, env: Environment): Call | undefined {
  const parsed: unknown = JSON.parse(input)
  if (typeof parsed !== 'object' || parsed === null) return undefined
  // Every field is checked where it is used.
  const fields = parsed as Fields
  const event = text(fields.hook_event_name) ?? text(fields.hookEventName)
  if (event === undefined) return undefined
  const roots = Array.isArray(fields.workspace_roots) ? fields.workspace_roots : []
  const directory = text(roots[0]) ?? text(fields.cwd) ?? env.CLAUDE_PROJECT_DIR
  const session = text(fields.session_id) ?? text(fields.sessionId) ?? text(fields.conversation_id) ?? 'unknown'
  return { event, fields, session, project: projectOf(directory, homeOf(env)) }
}

async function recalled({ place, service }: Situation, { fields, project }: Call): Promise<string | undefined> {
  const query = queryOf(text(fields.prompt) ?? '')
  if (query === undefined || service === undefined) return undefined
  const limits = limitsFor(query)
  const threshold = Math.min(limits.own, limits.project)
  const body = { query, user_id: service.user, limit: maxMemories, threshold, ...scope(project) }
  const answer = await asked(place, service, 'POST', '/api/v1/recall', body)
  const [best] = memoriesIn(answer)
  const floor = typeof best?.score === 'number' ? best.score / 3 : 0
  const isShown = ({ score, project: of }: Fields) =>
    typeof score === 'number' && score >= floor && score >= (typeof of === 'string' ? limits.project : limits.own)
  return blockOf(linesOf(memoriesIn(answer).filter(isShown)))
}

/** At the start there is no question yet: the newest memories of the project and of the user. */
async function recent({ place, service }: Situation, { project }: Call): Promise<string | undefined> {
  if (service === undefined) return undefined
  const query = new URLSearchParams({ user_id: service.user, limit: String(maxRecent), flagged: 'false' })
  const { filter } = scope(project)
  query.set('filter', JSON.stringify(filter))
  return blockOf(linesOf(memoriesIn(await asked(place, service, 'GET', `/api/v1/memories?${query}`))))
}

/** Loaded only when needed: most hooks start nothing. */
async function start(place: Place): Promise<void> {
  const { startService } = await import('./start.js')
  startService(place)
}

/** The memories of this project and those of no project, which are the user’s own. */
function scope(project: string | undefined): { readonly filter: object } {
  return { filter: project === undefined ? { project: null } : { or: [{ project }, { project: null }] } }
}

async function asked(
  place: Place,
  service: Service,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Fields> {
  try {
    return await sendJson(service, {
      method,
      path,
      timeoutMs: recallTimeoutMs,
      ...(body === undefined ? {} : { body }),
    })
  } catch (error) {
    // Down or slow: the agent goes on without memory. A service that stopped is started for the next prompt.
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') await start(place)
    return {}
  }
}

function memoriesIn({ memories }: Fields): Fields[] {
  return Array.isArray(memories) ? memories.filter((each) => typeof each === 'object' && each !== null) : []
}

function linesOf(memories: readonly Fields[]): string[] {
  return memories.flatMap(({ content, created_at: at, trust_score: trust }) => {
    if (typeof content !== 'string' || (typeof trust === 'number' && trust < minTrust)) return []
    const words = content.replaceAll(/\s+/g, ' ').trim()
    const line = words.length > maxLineCharacters ? `${words.slice(0, maxLineCharacters)}…` : words
    return [`[${String(at).slice(0, 10)}] ${line}`]
  })
}

function output({ event }: Call, block: string | undefined): string {
  if (block === undefined) return ''
  if (event === 'sessionStart') return JSON.stringify({ additional_context: block })
  if (event === 'beforeSubmitPrompt') return JSON.stringify({ continue: true, additional_context: block })
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: block } })
}

/** What the user said in the turn. Before compacting, also in the turns before: a turn that was interrupted has no end. */
async function spoken(call: Call): Promise<Prompt[]> {
  const given = promptOf(call)
  if (given.length > 0) return given
  const file = text(call.fields.transcript_path)
  const isCompacting = ['PreCompact', 'PreCompress', 'preCompact'].includes(call.event)
  if (file === undefined) return []
  const { lastPrompts } = await import('./transcript.js')
  return lastPrompts(file, isCompacting ? 20 : 2)
}

function promptOf({ fields, session }: Call): Prompt[] {
  const prompt = text(fields.prompt)
  return prompt === undefined ? [] : [{ text: prompt, id: idOf(session, prompt) }]
}

async function remember({ session, project }: Call, prompts: readonly Prompt[]): Promise<void> {
  if (prompts.length === 0) return
  const { startStoring } = await import('./start.js')
  await startStoring({ session: idOf(session), prompts, ...(project === undefined ? {} : { project }) })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Never fails and never hangs. What went wrong is on standard error, which agents show only in their logs. */
export async function runHook(args: readonly string[]): Promise<void> {
  const end = setTimeout(() => process.exit(0), totalTimeoutMs)
  try {
    const answer = await answerHook(await readAll(process.stdin), process.env, args.includes('--store-prompts'))
    if (answer !== '') await new Promise((resolve) => process.stdout.write(`${answer}\n`, resolve))
  } catch (error) {
    process.stderr.write(`keepsake hook: ${error instanceof Error ? error.message : 'failed'}\n`)
  }
  clearTimeout(end)
  process.exit(0)
}
