/** Compares the service's contents after a crash with what it promised before. */
import { createHash } from 'node:crypto'
import { accepted, asRecord, asRecords, type HttpClient } from '../http-client.js'
import type { Random } from '../random.js'
import {
  type Kept,
  type Ledger,
  type Operation,
  type Problem,
  setDeleted,
  setKept,
  setMarked,
  setUpdated,
} from './ledger.js'

interface Held {
  readonly id: string
  readonly userId: string
  readonly content: string
  readonly mark: string | null
}

export interface Verified {
  readonly problems: readonly Problem[]
  readonly inFlight: number
  /** Number of in-flight writes that turned out to have happened. */
  readonly happened: number
}

/** At most this many memories per round are read, looked up and recalled individually; all are compared in lists. */
const closerLooks = 12
const parallel = 8

export async function verify(
  client: HttpClient,
  ledger: Ledger,
  users: readonly string[],
  random: Random,
): Promise<Verified> {
  const problems: Problem[] = []
  const held = new Map<string, Held>()
  for (const userId of users) {
    for (const memory of await listAll(client, userId, problems)) held.set(memory.id, memory)
  }
  const inFlight = ledger.inFlight.size
  const happened = settleInFlight(ledger, held, problems)
  compareAll(ledger, held, problems)
  await lookCloser(client, ledger, random, problems)
  ledger.touched.clear()
  return { problems, inFlight, happened }
}

async function listAll(client: HttpClient, userId: string, problems: Problem[]): Promise<Held[]> {
  const held: Held[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ user_id: userId, limit: '500', ...(cursor === null ? {} : { cursor }) })
    const page = accepted(await client.send('GET', `/api/v1/memories?${query}`), 'list')
    for (const memory of asRecords(page.memories, 'list')) {
      checkChecksum(memory, `list: ${memory.id}`, problems)
      const { mark } = asRecord(memory.metadata, 'list')
      held.push({
        id: String(memory.id),
        userId: String(memory.user_id),
        content: String(memory.content),
        mark: typeof mark === 'string' ? mark : null,
      })
    }
    cursor = typeof page.next_cursor === 'string' ? page.next_cursor : null
    if (cursor === null && page.total !== held.length) {
      problems.push({ kind: 'half there', text: `${userId}: ${held.length} listed, total says ${page.total}` })
    }
  } while (cursor !== null)
  return held
}

/** Determines the outcome of each write in flight and records it: from here on it must persist. */
function settleInFlight(ledger: Ledger, held: ReadonlyMap<string, Held>, problems: Problem[]): number {
  let happened = 0
  for (const operation of ledger.inFlight) if (settle(ledger, operation, held, problems)) happened += 1
  ledger.inFlight.clear()
  return happened
}

function settle(ledger: Ledger, operation: Operation, held: ReadonlyMap<string, Held>, problems: Problem[]): boolean {
  if (operation.kind === 'store') return settleStore(ledger, operation, held, problems)
  const found = held.get(operation.memoryId)
  if (operation.kind === 'update') {
    const happened = found?.content === operation.sentence.text
    if (happened) setUpdated(ledger, operation)
    return happened
  }
  if (operation.kind === 'mark') {
    const happened = found?.mark === operation.mark
    if (happened) setMarked(ledger, operation)
    return happened
  }
  if (found) return false
  setDeleted(ledger, operation.memoryId)
  return true
}

function settleStore(
  ledger: Ledger,
  operation: Extract<Operation, { kind: 'store' }>,
  held: ReadonlyMap<string, Held>,
  problems: Problem[],
): boolean {
  const tokens = operation.sentences.map(({ token }) => token)
  const mine = [...held.values()].filter(({ content }) => tokens.some((token) => content.includes(token)))
  const missing = tokens.filter((token) => !mine.some(({ content }) => content.includes(token)))
  if (mine.length > 0 && missing.length > 0) {
    problems.push({ kind: 'half there', text: `a store of ${tokens.join(', ')} lacks ${missing.join(', ')}` })
  }
  for (const { id, content } of mine) setKept(ledger, operation, id, content)
  return mine.length > 0
}

function compareAll(ledger: Ledger, held: ReadonlyMap<string, Held>, problems: Problem[]): void {
  for (const memory of ledger.kept.values()) {
    const found = held.get(memory.id)
    if (found?.userId === memory.userId && found.content === memory.content && found.mark === memory.mark) continue
    ledger.kept.delete(memory.id)
    ledger.reported.add(memory.id)
    problems.push(
      found
        ? { kind: 'changed', text: `${memory.id} is ${shown(found)}, should be ${shown(memory)}` }
        : { kind: 'lost', text: `${memory.id} "${memory.content}" was acknowledged and is gone` },
    )
  }
  for (const { id, content } of held.values()) {
    if (ledger.kept.has(id) || ledger.reported.has(id)) continue
    ledger.reported.add(id)
    if (ledger.deleted.delete(id)) problems.push({ kind: 'not deleted', text: `${id} "${content}" is back` })
    else problems.push({ kind: 'from nowhere', text: `${id} "${content}" was never stored` })
  }
}

function shown({ userId, content, mark }: Omit<Held, 'id'>): string {
  return `"${content}" (mark ${mark}) of ${userId}`
}

async function lookCloser(client: HttpClient, ledger: Ledger, random: Random, problems: Problem[]): Promise<void> {
  const shuffled = [...ledger.touched].map((id) => ({ id, order: random() })).sort((a, b) => a.order - b.order)
  const waiting = shuffled.slice(0, closerLooks).map(({ id }) => id)
  const look = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const kept = ledger.kept.get(id)
      const gone = ledger.deleted.get(id)
      if (kept) await expectWhole(client, ledger, kept, problems)
      else if (gone) await expectGone(client, gone, problems)
    }
  }
  await Promise.all(Array.from({ length: parallel }, look))
}

/** Readable by its id, with all its versions, and found by its unique word. */
async function expectWhole(client: HttpClient, ledger: Ledger, kept: Kept, problems: Problem[]): Promise<void> {
  const unreadable = (text: string) => problems.push({ kind: 'unreadable', text: `${kept.id}: ${text}` })
  const read = await client.send('GET', `/api/v1/memories/${kept.id}`)
  if (read.status !== 200) unreadable(`status ${read.status}`)
  else {
    const memory = asRecord(accepted(read, 'read').memory, 'read')
    checkChecksum(memory, `read: ${kept.id}`, problems)
    if (memory.content !== kept.content) unreadable(`content is "${memory.content}"`)
  }
  const told = await client.send('GET', `/api/v1/memories/${kept.id}/history`)
  if (told.status !== 200) unreadable(`history: status ${told.status}`)
  else {
    const { versions, provenance } = accepted(told, 'history')
    const all = asRecords(versions, 'history')
    for (const version of all) checkChecksum(version, `history: ${kept.id}`, problems)
    if (all.length !== kept.updates + 1) unreadable(`${all.length} versions after ${kept.updates} updates`)
    if (all.at(-1)?.content !== kept.content) unreadable(`the last version is "${all.at(-1)?.content}"`)
    if (asRecords(provenance, 'history').length === 0) unreadable('its source text is gone')
  }
  const recalled = await recallBy(client, kept)
  if (!recalled.some(({ id }) => id === kept.id)) unreadable(`a recall of "${kept.token}" does not find it`)
  for (const { id, content } of recalled) {
    const expected = ledger.kept.get(String(id))?.content
    if (content !== expected) unreadable(`a recall shows "${content}" for ${id}, should be "${expected}"`)
  }
}

async function expectGone(client: HttpClient, gone: Kept, problems: Problem[]): Promise<void> {
  const back = (text: string) => problems.push({ kind: 'not deleted', text: `${gone.id}: ${text}` })
  for (const path of ['', '/history']) {
    const { status } = await client.send('GET', `/api/v1/memories/${gone.id}${path}`)
    if (status !== 404) back(`GET ${path} answers ${status}`)
  }
  const recalled = await recallBy(client, gone)
  if (recalled.some(({ id, content }) => id === gone.id || String(content).includes(gone.token)))
    back('a recall finds it')
}

async function recallBy(client: HttpClient, { userId, token }: Kept): Promise<Record<string, unknown>[]> {
  const body = { user_id: userId, query: token, enable_hybrid: true, limit: 10 }
  return asRecords(accepted(await client.send('POST', '/api/v1/recall', body), 'recall').memories, 'recall')
}

function checkChecksum(memory: Record<string, unknown>, where: string, problems: Problem[]): void {
  const expected = createHash('sha256').update(String(memory.content), 'utf8').digest('hex')
  if (memory.checksum !== expected) problems.push({ kind: 'changed', text: `${where}: the checksum does not match` })
}
