/**
 * `npm run bench:timing`: does the time of a rejection reveal whether a key id is known, or how much of a secret was
 * right? Four kinds of invalid key, in random order, and Welch's t between each pair of them:
 *
 * - the verifier alone over a real store at a low bcrypt cost: the same code, and a stricter test, because bcrypt's own
 *   variance hides less of any other difference;
 * - the same at the real cost, with fewer samples;
 * - a running service over HTTP, as an attacker sees it: there a timer decides when a rejection is sent.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { unlimited } from '../../packages/server/src/core/key-access.js'
import { silentLog } from '../../packages/server/src/core/log.js'
import { bcryptThread } from '../../packages/server/src/service/keys/bcrypt-thread.js'
import { bcryptCost, formatKey, hashSecret } from '../../packages/server/src/service/keys/key-format.js'
import { keyVerifier } from '../../packages/server/src/service/keys/key-verifier.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { accepted, asRecord } from '../http-client.js'
import { type Random, random } from '../random.js'
import { serviceEnvironment, startService } from '../service-process.js'
import { markdownTable } from '../table.js'
import { bearerClient, loopbackAddress } from './bearer-client.js'
import { quantile, tellTale, welch, welchBelow } from './welch.js'

const kinds = ['unknown id', 'wrong secret', 'wrong tail', 'appended tail'] as const
type Kind = (typeof kinds)[number]
type Samples = Readonly<Record<Kind, number[]>>

interface GoodKey {
  readonly keyId: string
  readonly secret: string
}

const ids = idSource(systemClock)
const newSecret = () => randomBytes(32).toString('base64url')

function badKey(kind: Kind, { keyId, secret }: GoodKey): string {
  if (kind === 'unknown id') return formatKey(ids.next('key'), newSecret())
  if (kind === 'wrong secret') return formatKey(keyId, newSecret())
  if (kind === 'wrong tail') return formatKey(keyId, `${secret.slice(0, -8)}${newSecret().slice(0, 8)}`)
  return formatKey(keyId, `${secret}${newSecret().slice(0, 8)}`)
}

function shuffled<T>(next: Random, items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1))
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
  return items
}

function schedule(samples: number): Kind[] {
  return shuffled(
    random(7),
    Array.from({ length: samples * kinds.length }, (_, index) => kinds[index % kinds.length] ?? 'unknown id'),
  )
}

const emptySamples = (): Samples => ({ 'unknown id': [], 'wrong secret': [], 'wrong tail': [], 'appended tail': [] })

async function timeVerifier(samples: number, cost: number): Promise<Samples> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-timing-'))
  const storage = await openSqliteStorage({ dataDir, log: () => undefined })
  const hashing = bcryptThread()
  const verifier = keyVerifier({ storage, clock: systemClock, log: silentLog, cost, compare: hashing.compare })
  const taken = emptySamples()
  try {
    const keys: GoodKey[] = []
    for (let index = 0; index < 50; index += 1) {
      const key = { keyId: ids.next('key'), secret: newSecret() }
      const hash = await hashSecret(key.secret, cost)
      await storage.createKey({
        id: key.keyId,
        userId: 'ana',
        name: 'timed',
        preview: '',
        createdAt: 1,
        hash,
        ...unlimited,
      })
      // The owner uses the key, so that the verifier caches it.
      await verifier.verify(formatKey(key.keyId, key.secret))
      keys.push(key)
    }
    for (const [turn, kind] of schedule(samples).entries()) {
      const presented = badKey(kind, keys[turn % keys.length] ?? { keyId: '', secret: '' })
      const startedAt = performance.now()
      const { kind: outcome } = await verifier.verify(presented)
      taken[kind].push(performance.now() - startedAt)
      if (outcome !== 'failed') throw new Error(`${kind} was accepted as a valid key`)
    }
  } finally {
    await verifier.close()
    await hashing.close()
    await storage.close()
    await rm(dataDir, { recursive: true })
  }
  return taken
}

const masterKey = randomBytes(32).toString('hex')
/** Concurrent callers: few enough that hashing, one at a time, is done before a rejection is due. */
const askers = 2

async function timeService(samples: number): Promise<Samples> {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-timing-'))
  const environment = {
    ...serviceEnvironment(join(directory, 'data')),
    SERVICE_MASTER_KEY: masterKey,
    SERVICE_RATE_LIMIT_ENABLED: 'true',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_AUDIT_LOG: join(directory, 'audit.log'),
  }
  const service = await startService({ environment, workingDirectory: directory })
  const taken = emptySamples()
  try {
    const master = bearerClient(service.root)
    const created = await master.send('POST', '/api/v1/keys', masterKey, { user_id: 'ana', name: 'timed' })
    const { id, key } = asRecord(accepted(created, 'a key'), 'a key')
    const good = { keyId: String(id), secret: String(key).slice(-43) }
    accepted(await master.send('GET', '/api/v1/memories', String(key)), 'the key works')
    const turns = schedule(samples).entries()
    const ask = async (): Promise<void> => {
      for (const [turn, kind] of turns) {
        // Each address fails once, so that limits and delays per address play no role.
        const client = bearerClient(service.root, loopbackAddress(turn))
        const { status, ms } = await client.send('GET', '/api/v1/memories', badKey(kind, good))
        client.close()
        if (status !== 401) throw new Error(`${kind} was answered with ${status}`)
        taken[kind].push(ms)
      }
    }
    await Promise.all(Array.from({ length: askers }, ask))
    master.close()
    await service.stop()
  } finally {
    await service.kill()
    await rm(directory, { recursive: true, force: true })
  }
  return taken
}

/** True if no pair is distinguishable. */
function report(title: string, taken: Samples): boolean {
  console.log(`\n${title}\n`)
  const perKind = kinds.map((kind) => {
    const values = taken[kind]
    const shown = [0.1, 0.5, 0.9, 0.99].map((share) => quantile(values, share).toFixed(3))
    return [kind, String(values.length), ...shown]
  })
  console.log(markdownTable(['kind', 'samples', 'p10 ms', 'p50', 'p90', 'p99'], perKind))
  const pairs = kinds.flatMap((left, index) => kinds.slice(index + 1).map((right) => [left, right] as const))
  const rows = pairs.map(([left, right]) => {
    const whole = welch(taken[left], taken[right])
    const cut = welchBelow(0.9, taken[left], taken[right])
    return { name: `${left} – ${right}`, whole, cut, isQuiet: Math.abs(whole) < tellTale && Math.abs(cut) < tellTale }
  })
  const cells = rows.map(({ name, whole, cut, isQuiet }) => [
    name,
    whole.toFixed(2),
    cut.toFixed(2),
    isQuiet ? 'no' : 'YES',
  ])
  console.log(`\n${markdownTable(['pair', 't', 't below p90', 'distinguishable'], cells)}`)
  return rows.every(({ isQuiet }) => isQuiet)
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      samples: { type: 'string', default: '5000' },
      cost: { type: 'string', default: '4' },
      'real-samples': { type: 'string', default: '200' },
      'http-samples': { type: 'string', default: '200' },
    },
  })
  const [samples, cost] = [Number(values.samples), Number(values.cost)]
  const [realSamples, httpSamples] = [Number(values['real-samples']), Number(values['http-samples'])]
  console.log(`load average: ${loadavg().map((each) => each.toFixed(1))}`)
  const quiet = [report(`the verifier at bcrypt cost ${cost}`, await timeVerifier(samples, cost))]
  if (realSamples > 0) {
    quiet.push(report(`the verifier at bcrypt cost ${bcryptCost}`, await timeVerifier(realSamples, bcryptCost)))
  }
  if (httpSamples > 0) {
    quiet.push(report(`the service over HTTP, bcrypt cost ${bcryptCost}`, await timeService(httpSamples)))
  }
  console.log(`\nload average: ${loadavg().map((each) => each.toFixed(1))}`)
  if (!quiet.every(Boolean)) process.exitCode = 1
}

await run()
