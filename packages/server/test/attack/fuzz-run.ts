/**
 * Sends requests generated from the OpenAPI document, half of them broken on purpose, a few at a time. Each round has its own
 * service and seed, so that a failure can be reproduced by its round alone.
 */
import fc from 'fast-check'
import { type Method, masterKey, startService, type TestService } from '../support/harness.js'
import { type Operation, operations } from '../support/openapi-check.js'
import { accessOf, nameOf } from '../support/samples.js'
import { problemWith, type RawAnswer } from './fuzz-check.js'
import { type Filling, type FuzzCase, fuzzCase, type RawRequest, rawRequest } from './fuzz-request.js'
import { quickKey } from './quick-key.js'

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** Called now and then with the progress. */
  readonly progress: (text: string) => void
}

export interface FuzzReport {
  requests: number
  rounds: number
  /** Accepted requests: unbroken ones, and all. */
  plain: number
  plainAccepted: number
  accepted: number
  slowestMs: number
  slowest: string
  readonly byStatus: Map<number, number>
  /** Operations that succeeded at least once. */
  readonly succeeded: Set<string>
}

const users = ['fay', 'Fay', 'fay%']
const runsInRound = 500
/** Far longer than any request takes, even on a busy machine. A longer one hangs. */
const hangMs = 30_000
/** The time limit for shrinking a failed case. */
const longestShrinkMs = 20_000
const markPattern = /mk([0-9])n([0-9]+)km/g
const idPattern = /\b(mem|ent|con|mrg|whk|key)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const rememberedIds = 400

const byName = new Map(operations.map((operation) => [nameOf(operation), operation]))
const cases = fc.oneof(
  ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: fuzzCase(operation, users.length) })),
)

function weightOf(operation: Operation): number {
  const access = accessOf(operation)
  if (access === 'open') return 1
  if (nameOf(operation) === 'POST /api/v1/store') return 24
  // Creating a key costs a bcrypt hash.
  return nameOf(operation) === 'POST /api/v1/keys' ? 3 : 6
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = {
    requests: 0,
    rounds: 0,
    plain: 0,
    plainAccepted: 0,
    accepted: 0,
    slowestMs: 0,
    slowest: '',
    byStatus: new Map(),
    succeeded: new Set(),
  }
  while (report.requests < options.requests) {
    const left = options.requests - report.requests
    await round(options.seed + report.rounds, Math.min(runsInRound, Math.ceil(left / 3)), report)
    report.rounds += 1
    if (report.rounds % 5 === 0) options.progress(`${report.requests} requests`)
  }
  return report
}

async function round(seed: number, runs: number, report: FuzzReport): Promise<void> {
  // Every second round runs without authentication, where a caller may name any user, or none for all users.
  const auth = seed % 2 === 0
  const service = await startService({
    auth: true,
    ...(auth ? {} : { env: { SERVICE_AUTH_ENABLED: 'false' } }),
    // Other tests cover the responses of a language model.
    languageModel: null,
  })
  const round = await fuzzRound(service, report, auth)
  const property = fc.asyncProperty(fc.array(cases, { minLength: 1, maxLength: 6, size: 'max' }), (batch) =>
    round.send(batch),
  )
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: false })
  const logged = service.logLines.find((line) => markPattern.test(line))
  await service.close()
  if (details.failed) {
    throw new Error(
      `seed ${seed} (npm run test:fuzz -- --seed ${seed}), path ${details.counterexamplePath}: ${String(details.errorInstance)}\nas a case: ${fc.stringify(details.counterexample)}`,
    )
  }
  if (logged !== undefined) throw new Error(`seed ${seed}: what was sent is in the log: ${logged.slice(0, 500)}`)
}

async function fuzzRound(service: TestService, report: FuzzReport, auth: boolean) {
  const made = await Promise.all(users.map((user) => quickKey(service, user, 'fuzz')))
  const keys = made.map(({ key }) => key)
  // Revoking these keys would end the run.
  const spared = new Set(made.map(({ id }) => id))
  const pools = new Map<string, string[]>()
  let marks = 0
  let spares = 0
  let shrinkUntil = Number.POSITIVE_INFINITY

  /** Ids that this user, or the holder of the master key, has seen. */
  const poolOf = (user: number, kind: string) => {
    const name = kind === 'key' ? kind : `${user} ${kind}`
    const pool = pools.get(name) ?? []
    pools.set(name, pool)
    return pool
  }

  function remember(user: number, text: string): void {
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1]
    const found = [...text.matchAll(idPattern)].map(([id, kind = '']) => [kind, id] as const)
    for (const [kind, thing] of cursor === undefined ? found : [...found, ['cursor', cursor] as const]) {
      const pool = poolOf(user, kind)
      if (spared.has(thing) || pool.includes(thing)) continue
      pool.unshift(thing)
      pool.splice(rememberedIds)
    }
  }

  function fillingFor(operation: Operation, user: number, mark: string): Filling {
    const access = accessOf(operation)
    const key = access === 'open' ? null : access === 'user' || access === 'cleanup' ? keys[user] : masterKey
    return {
      key: key ?? null,
      fill: (text) =>
        text
          .replaceAll('@mark', mark)
          .replaceAll('@user', users[user] ?? '')
          .replace(/@(mem|ent|con|mrg|whk|key|cursor):(\d+)/g, (_whole, kind: string, index: string) => {
            const pool = poolOf(user, kind)
            return pool[Number(index) % Math.max(1, pool.length)] ?? `${kind}_01h455vb4pex5vsknk084sn02q`
          }),
    }
  }

  async function sendOne(given: FuzzCase): Promise<void> {
    const operation = byName.get(given.operation)
    if (!operation) throw new Error(`unknown operation ${given.operation}`)
    marks += 1
    const mark = `mk${given.user}n${marks}km`
    const request = rawRequest(operation, given, fillingFor(operation, given.user, mark))
    const started = performance.now()
    const answer = await answerTo(service, request)
    const elapsedMs = performance.now() - started
    const isMaster = ['master', 'metrics'].includes(accessOf(operation))
    const problem =
      problemWith(request, answer) ?? (isMaster ? undefined : leakIn(auth ? given.user : undefined, mark, answer))
    if (problem !== undefined)
      throw new Error(`${problem}\n${shown(request)}\n→ ${answer.status} ${answer.text.slice(0, 1000)}`)
    count(report, given, request, answer, elapsedMs)
    if (answer.status < 300) remember(given.user, answer.text)
  }

  return {
    async send(batch: readonly FuzzCase[]): Promise<void> {
      // Time is up: accept the current case as the smallest.
      if (performance.now() > shrinkUntil) return
      // Recreates data that earlier requests have deleted.
      if (poolOf(0, 'mem').length === 0 || marks > spares + 400) {
        spares = marks
        await fillUp(service, auth ? keys : undefined, remember)
      }
      const results = await Promise.allSettled(batch.map(sendOne))
      const failure = results.find((result) => result.status === 'rejected')
      if (!failure) return
      shrinkUntil = Math.min(shrinkUntil, performance.now() + longestShrinkMs)
      throw failure.reason
    },
  }
}

/** Creates memories, entities, a contradiction and a merge per user. */
async function fillUp(
  service: TestService,
  keys: readonly string[] | undefined,
  remember: (user: number, text: string) => void,
): Promise<void> {
  const texts = ['Maria lives in Oslo', 'Maria lives in Rome', 'Melanie met Maria', 'Mel met Maria']
  for (const [user, userId] of users.entries()) {
    const key = keys?.[user] ?? null
    const get = async (path: string, query = {}) => {
      const { text, status } = await service.call('GET', path, { key, query: { ...query, user_id: userId } })
      if (status === 200) remember(user, text)
      return text
    }
    for (const content of texts) await service.store({ content, user_id: userId }, { key })
    // A short page has a next one.
    await get('/memories', { limit: 2 })
    await get('/contradictions')
    const entities = await get('/entities')
    for (const [id] of entities.matchAll(/ent_[0-9a-z]{26}/g)) await get(`/entities/${id}/merges`)
  }
}

async function answerTo({ app }: TestService, { method, url, headers, payload }: RawRequest): Promise<RawAnswer> {
  let timer: NodeJS.Timeout | undefined
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${hangMs} ms\n${shown({ method, url, headers, payload })}`)),
      hangMs,
    )
  })
  const answered = app.inject({
    // Any method that Node's parser accepts.
    method: method as Method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  try {
    const { statusCode: status, headers: sent, payload: text } = await Promise.race([answered, hang])
    return { status, headers: sent, text }
  } finally {
    clearTimeout(timer)
  }
}

/** An error contains nothing from another request. With authentication, a response contains nothing of another user. */
function leakIn(user: number | undefined, mark: string, { status, text }: RawAnswer): string | undefined {
  for (const [found, owner] of text.matchAll(markPattern)) {
    if (user !== undefined && Number(owner) !== user) return `${found} is of another user`
    if (status >= 400 && found !== mark) return `${found} is of another request`
  }
  return undefined
}

function count(
  report: FuzzReport,
  given: FuzzCase,
  request: RawRequest,
  { status }: RawAnswer,
  elapsedMs: number,
): void {
  const isAccepted = status < 300
  report.requests += 1
  if (isAccepted) report.accepted += 1
  report.byStatus.set(status, (report.byStatus.get(status) ?? 0) + 1)
  if (given.broken === undefined) {
    report.plain += 1
    if (isAccepted) {
      report.plainAccepted += 1
      report.succeeded.add(given.operation)
    }
  }
  if (elapsedMs > report.slowestMs) {
    report.slowestMs = elapsedMs
    report.slowest = `${shown(request).slice(0, 200)} ${given.broken?.kind ?? ''}`
  }
}

/** The request in a form that a reader can send again. Its key is worthless after the run. */
function shown({ method, url, headers, payload }: RawRequest): string {
  const body =
    payload === undefined
      ? ''
      : `\n${JSON.stringify(payload.toString('latin1').slice(0, 1500))} (${payload.length} bytes, as Latin-1)`
  return `${method} ${url.slice(0, 1500)} ${JSON.stringify(headers).slice(0, 500)}${body}`
}
