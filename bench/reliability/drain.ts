/**
 * SIGTERM under load: every request that was sent gets an answer, and every acknowledged write is there after the next
 * start. Half of the callers keep their connection, half open a new one per request.
 */
import { Agent, request } from 'node:http'
import { accepted, httpClient } from '../http-client.js'
import { openEngine } from './engines.js'
import { type Fault, type FaultContext, type FaultResult, sleep } from './fault.js'
import type { Problem } from './ledger.js'

const callers = 16
const stopAfterMs = { least: 300, most: 1_200 }

interface Tally {
  readonly acknowledged: Map<string, string>
  readonly problems: Problem[]
  refused: number
}

export const drain: Fault = {
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const rounds = context.rounds ?? 10
    const engine = await openEngine(context.engine, context.directory)
    const tally: Tally = { acknowledged: new Map(), problems: [], refused: 0 }
    const stopTimes: number[] = []
    try {
      for (let round = 0; round < rounds; round++) {
        const service = await context.start(engine.start)
        const state = { isOver: false }
        const calling = Array.from({ length: callers }, (_, caller) => {
          return call(service.root, `${round}-${caller}`, caller % 2 === 0, tally, state)
        })
        await sleep(stopAfterMs.least + context.random() * (stopAfterMs.most - stopAfterMs.least))
        const askedAt = performance.now()
        await service.stop().catch((error: unknown) => {
          tally.problems.push({ kind: 'answer', text: String(error) })
        })
        stopTimes.push(performance.now() - askedAt)
        state.isOver = true
        await Promise.all(calling)
      }
      await compare(context, engine, tally)
    } finally {
      await engine.close()
    }
    return {
      rounds,
      problems: tally.problems,
      seen:
        `${tally.acknowledged.size} stores acknowledged and there, ${tally.refused} answered with 503, none without an answer; ` +
        `gone after ${Math.max(...stopTimes).toFixed(0)} ms at most`,
    } satisfies FaultResult
  },
}

/** Stores until it learns that the service is stopping, or can't connect. */
async function call(root: string, name: string, keepAlive: boolean, tally: Tally, state: { isOver: boolean }) {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  for (let turn = 0; !state.isOver; turn++) {
    const content = `The ferry ${name}-${turn} crossed the strait in ${turn + 3} hours.`
    const outcome = await send(root, agent, { user_id: `caller-${name}`, content })
    if (outcome.kind === 'nobody') break
    if (outcome.kind === 'dropped') {
      tally.problems.push({ kind: 'dropped', text: `${keepAlive ? 'kept' : 'new'} connection: ${outcome.why}` })
      break
    }
    if (outcome.status === 503) {
      tally.refused += 1
      break
    }
    if (outcome.status === 200) tally.acknowledged.set(content, `caller-${name}`)
    else tally.problems.push({ kind: 'answer', text: `status ${outcome.status}` })
  }
  agent.destroy()
}

type Sent = { kind: 'answer'; status: number } | { kind: 'nobody' } | { kind: 'dropped'; why: string }

function send(root: string, agent: Agent, body: object): Promise<Sent> {
  return new Promise((resolve) => {
    const payload = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
    const sent = request(`${root}/api/v1/store`, { method: 'POST', agent, headers, timeout: 60_000 }, (response) => {
      response.resume()
      response.on('end', () => {
        if (response.complete) resolve({ kind: 'answer', status: response.statusCode ?? 0 })
        else resolve({ kind: 'dropped', why: 'the answer is incomplete' })
      })
      response.on('error', (error) => resolve({ kind: 'dropped', why: String(error) }))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer within a minute')))
    sent.on('error', (error) => {
      // No connection, so nothing was sent.
      const isRefused = 'code' in error && error.code === 'ECONNREFUSED'
      resolve(isRefused ? { kind: 'nobody' } : { kind: 'dropped', why: String(error) })
    })
    sent.end(payload)
  })
}

async function compare(context: FaultContext, engine: Awaited<ReturnType<typeof openEngine>>, tally: Tally) {
  const service = await context.start(engine.start)
  const client = httpClient(service.root, 4)
  const held = new Set<string>()
  for (const user of new Set(tally.acknowledged.values())) {
    const path = `/api/v1/memories?${new URLSearchParams({ user_id: user, limit: '500' })}`
    const { memories } = accepted(await client.send('GET', path), 'list')
    for (const memory of memories as { content: string }[]) held.add(memory.content)
  }
  for (const content of tally.acknowledged.keys()) {
    if (!held.has(content)) tally.problems.push({ kind: 'lost', text: `"${content}" was acknowledged and is gone` })
  }
  client.close()
  await service.stop()
}
