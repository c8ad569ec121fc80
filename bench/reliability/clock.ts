/**
 * The machine's clock jumps by 400 days, forward and back, while the service runs and before it starts. Nothing is
 * purged before it expires, nothing stored under a wrong clock is lost, and keys, ids and rate limits keep working.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asRecords } from '../http-client.js'
import { type BearerClient, bearerClient } from '../security/bearer-client.js'
import type { ServiceProcess, StartOptions } from '../service-process.js'
import { openEngine } from './engines.js'
import { type Fault, type FaultResult, sleep } from './fault.js'
import type { Problem } from './ledger.js'

const dayMs = 86_400_000
const jumpMs = 400 * dayMs
const preload = fileURLToPath(new URL('shifted-clock.mjs', import.meta.url))
const masterKey = randomBytes(32).toString('hex')
const forgetLimit = 3

export const clock: Fault = {
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const engine = await openEngine(context.engine, context.directory)
    const file = join(context.directory, 'clock')
    const moveTo = async (offsetMs: number): Promise<void> => {
      await writeFile(file, String(offsetMs))
      // Each thread checks every 20 ms.
      await sleep(100)
    }
    await moveTo(0)
    const start: StartOptions = {
      ...engine.start,
      nodeOptions: ['--import', preload],
      environment: {
        ...engine.start.environment,
        KEEPSAKE_CLOCK_FILE: file,
        SERVICE_MASTER_KEY: masterKey,
        SERVICE_RATE_LIMIT_ENABLED: 'true',
        SERVICE_RATE_LIMIT_STORE: '100000/minute',
        SERVICE_RATE_LIMIT_RECALL: '100000/minute',
        SERVICE_RATE_LIMIT_DEFAULT: '100000/minute',
        SERVICE_RATE_LIMIT_FORGET: `${forgetLimit}/minute`,
      },
    }
    const history = new ClockHistory()
    let service: ServiceProcess | undefined
    try {
      for (const restarts of [false, true]) {
        for (const [name, offsetMs] of [
          ['at first', 0],
          ['400 days ahead', jumpMs],
          ['400 days behind', -jumpMs],
          ['right again', 0],
        ] as const) {
          await moveTo(offsetMs)
          if (restarts) await service?.stop()
          if (restarts || service === undefined) service = await context.start(start)
          await history.look(service.root, `${restarts ? 'started ' : ''}${name}`, offsetMs)
        }
      }
      await service?.stop()
    } finally {
      await service?.kill()
      await engine.close()
    }
    const seen = `${history.looks} checks; ${history.stored.length} memories stored under 4 clocks, all there`
    return { rounds: history.looks, problems: history.problems, seen } satisfies FaultResult
  },
}

interface Stored {
  readonly id: string
  readonly content: string
  /** Its expiry by the correct clock; null: never. */
  readonly endsAtMs: number | null
}

class ClockHistory {
  readonly problems: Problem[] = []
  readonly stored: Stored[] = []
  readonly keys: string[] = []
  looks = 0

  async look(root: string, name: string, offsetMs: number): Promise<void> {
    this.looks += 1
    // Each key has a separate address, so that one limit does not affect another.
    const client = bearerClient(root)
    const wrong = (kind: Problem['kind'], text: string) => this.problems.push({ kind, text: `${name}: ${text}` })
    try {
      const made = await client.send('POST', '/api/v1/keys', masterKey, { user_id: 'ana', name })
      if (made.status !== 201 && made.status !== 200) wrong('answer', `a key: status ${made.status}`)
      else this.keys.push(String(JSON.parse(made.text).key))
      for (const key of this.keys) {
        const { status } = await client.send('GET', '/api/v1/memories?limit=1', key)
        if (status !== 200) wrong('answer', `an existing key: status ${status}`)
      }
      const key = this.keys[0] ?? ''
      for (const ttl of [undefined, '30d', '730d']) await this.store(client, key, name, offsetMs, ttl, wrong)
      await this.compare(client, key, offsetMs, wrong)
      await this.cleanUp(client, key, offsetMs, wrong)
      await this.limits(root, wrong)
    } finally {
      client.close()
    }
  }

  private async store(
    client: BearerClient,
    key: string,
    name: string,
    offsetMs: number,
    ttl: string | undefined,
    wrong: (kind: Problem['kind'], text: string) => void,
  ): Promise<void> {
    const content = `The heron ${this.stored.length} was seen ${name}, and came back ${this.stored.length * 7} times.`
    const answer = await client.send('POST', '/api/v1/store', key, { content, ...(ttl === undefined ? {} : { ttl }) })
    if (answer.status !== 200 && answer.status !== 201) return wrong('answer', `store: ${answer.text.slice(0, 200)}`)
    const [memory] = asRecords(JSON.parse(answer.text).memories, 'store')
    const id = String(memory?.id)
    if (this.stored.some((other) => other.id === id)) wrong('changed', `the id ${id} was issued twice`)
    const endsAtMs = ttl === undefined ? null : Date.now() + offsetMs + Number.parseInt(ttl, 10) * dayMs
    this.stored.push({ id, content: String(memory?.content), endsAtMs })
  }

  /**
   * All memories that have not expired by the current clock are listed and recalled, and all that were ever stored are
   * still kept.
   */
  private async compare(
    client: BearerClient,
    key: string,
    offsetMs: number,
    wrong: (kind: Problem['kind'], text: string) => void,
  ): Promise<void> {
    const now = Date.now() + offsetMs
    const list = async (query: string) => {
      const { text } = await client.send('GET', `/api/v1/memories?limit=500${query}`, key)
      return new Set(asRecords(JSON.parse(text).memories, 'list').map(({ id }) => String(id)))
    }
    const [listed, kept] = [await list(''), await list('&include_expired=true')]
    for (const { id, content, endsAtMs } of this.stored) {
      const isCurrent = endsAtMs === null || endsAtMs > now
      if (!kept.has(id)) wrong('lost', `"${content}" is gone`)
      else if (isCurrent && !listed.has(id)) wrong('lost', `"${content}" is not listed`)
      else if (!isCurrent && listed.has(id)) wrong('not deleted', `"${content}" has expired and is listed`)
      if (!isCurrent) continue
      const { text } = await client.send('POST', '/api/v1/recall', key, {
        query: content,
        limit: 10,
        enable_hybrid: true,
      })
      const found = asRecords(JSON.parse(text).memories, 'recall').some((memory) => memory.id === id)
      if (!found) wrong('unreadable', `"${content}" is not recalled`)
    }
  }

  /**
   * A cleanup purges only memories that have expired by the current clock; if the clock is not ahead, it purges nothing
   * else.
   */
  private async cleanUp(
    client: BearerClient,
    key: string,
    offsetMs: number,
    wrong: (kind: Problem['kind'], text: string) => void,
  ): Promise<void> {
    const now = Date.now() + offsetMs
    const due = this.stored.filter(({ endsAtMs }) => endsAtMs !== null && endsAtMs <= now)
    const preview = await client.send('POST', '/api/v1/temporal/cleanup', key, { dry_run: true })
    const { would_delete: would } = JSON.parse(preview.text)
    if (would !== due.length) wrong('lost', `a cleanup would purge ${would}, and ${due.length} have expired`)
    if (due.length > 0) return
    await client.send('POST', '/api/v1/temporal/cleanup', key, { dry_run: false })
    const { text } = await client.send('GET', '/api/v1/memories?limit=1&include_expired=true', key)
    const { total } = JSON.parse(text)
    if (total !== this.stored.length) wrong('lost', `after a cleanup ${total} of ${this.stored.length} are left`)
  }

  /** An exhausted limit stays exhausted whatever the clock says, and never longer than its minute. */
  private async limits(root: string, wrong: (kind: Problem['kind'], text: string) => void): Promise<void> {
    const client = bearerClient(root)
    const made = await client.send('POST', '/api/v1/keys', masterKey, { user_id: 'ben', name: 'limits' })
    const key = String(JSON.parse(made.text).key)
    const forget = async (): Promise<number> => {
      const sent = await fetch(`${root}/api/v1/memories`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ memory_ids: ['mem_none'] }),
      })
      const waitSeconds = Number(sent.headers.get('retry-after') ?? 0)
      if (waitSeconds > 60) wrong('answer', `a limit asks to wait ${waitSeconds} s`)
      return sent.status
    }
    for (let turn = 0; turn < forgetLimit; turn++) {
      const status = await forget()
      if (status !== 200) wrong('answer', `within the limit: status ${status}`)
    }
    const status = await forget()
    if (status !== 429) wrong('answer', `beyond the limit: status ${status}`)
    client.close()
  }
}
