/** `npm run bench:ingest`: how fast the built service takes in short memories, one per request and in batches, and long texts. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { accepted, asRecord, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { processorMs, type ServiceProcess, serviceEnvironment, startService } from '../service-process.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'
import { notes, prose } from './texts.js'

const usage = `npm run bench:ingest -- [options]
  --items 300       notes per case
  --size 100        items per batch
  --lengths 5000,20000,50000  characters of prose, each as one store
  --rounds 1        the cases take turns; the median counts
  --only single,... some of: single, parallel, batch, prose-5000 and so on
  --profile DIR     write CPU profiles of the service there
  --database-url URL  PostgreSQL instead of SQLite
  --help`

interface Figures {
  readonly seconds: number
  readonly processorSeconds: number | undefined
  readonly texts: readonly string[]
  /** How many memories were added, and how many texts changed or repeated something. */
  readonly actions: Readonly<Record<string, number>>
}

interface Case {
  readonly texts: readonly string[]
  store(client: HttpClient, texts: readonly string[]): Promise<Actions>
}

type Actions = Record<string, number>

/** As in an import: an item has its own day, and is not the next turn of the one before. */
function itemOf(content: string, index: number) {
  const created_at = new Date(firstDay + index * dayMs).toISOString()
  return { content, conversation_id: `note ${index}`, created_at, source: 'bench' }
}

const dayMs = 86_400_000
const firstDay = Date.parse('2020-01-01T09:00:00Z')

async function casesOf(items: number, size: number, lengths: readonly number[]): Promise<Map<string, Case>> {
  const short = await notes(items)
  const long = prose(lengths)
  return new Map<string, Case>([
    ['single', { texts: short, store: (client, texts) => oneByOne(client, texts, 1) }],
    ['parallel', { texts: short, store: (client, texts) => oneByOne(client, texts, 4) }],
    ['batch', { texts: short, store: (client, texts) => inBatches(client, texts, size) }],
    ...long.map((text): [string, Case] => [
      `prose-${text.length}`,
      { texts: [text], store: (client, texts) => oneByOne(client, texts, 1) },
    ]),
  ])
}

async function oneByOne(client: HttpClient, texts: readonly string[], together: number): Promise<Actions> {
  const actions: Actions = {}
  const left = [...texts.entries()]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, content] = next
      const answer = await client.send('POST', '/api/v1/store', { user_id: 'ana', ...itemOf(content, index) })
      count(actions, accepted(answer, 'store'))
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return actions
}

async function inBatches(client: HttpClient, texts: readonly string[], size: number): Promise<Actions> {
  const actions: Actions = {}
  for (let start = 0; start < texts.length; start += size) {
    let items = texts.slice(start, start + size).map((content, index) => itemOf(content, start + index))
    while (items.length > 0) {
      const answer = await client.send('POST', '/api/v1/store/batch', { user_id: 'ana', items })
      const failed: typeof items = []
      for (const { index, status, result } of asRecords(accepted(answer, 'batch').results, 'batch')) {
        const item = items[Number(index)]
        // A batch begins no further items after a minute, which a busy machine may need.
        if (status === 'failed' && item) failed.push(item)
        else if (status === 'stored') count(actions, asRecord(result, 'batch'))
        else actions.refused = (actions.refused ?? 0) + 1
      }
      if (failed.length === items.length) throw new Error(`no item was stored: ${answer.text.slice(0, 300)}`)
      items = failed
    }
  }
  return actions
}

function count(actions: Actions, { memories }: Record<string, unknown>): void {
  for (const { action } of asRecords(memories, 'store')) actions[String(action)] = (actions[String(action)] ?? 0) + 1
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      items: { type: 'string', default: '300' },
      size: { type: 'string', default: '100' },
      lengths: { type: 'string', default: '5000,20000,50000' },
      rounds: { type: 'string', default: '1' },
      only: { type: 'string' },
      profile: { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const lengths = options.lengths.split(',').map(Number)
  const cases = await casesOf(Number(options.items), Number(options.size), lengths)
  const measured = new Map<string, Figures[]>()
  const scratch = await scratchDirectory()
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const name of options.only?.split(',') ?? cases.keys()) {
      const chosen = cases.get(name)
      if (!chosen) throw new Error(`there is no case ${name}`)
      const dataDir = join(scratch, `${name}-${round}`)
      const environment = {
        ...serviceEnvironment(dataDir),
        ...(options['database-url'] === undefined ? {} : { SERVICE_DATABASE_URL: options['database-url'] }),
      }
      const nodeOptions = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
      const service = await startService({
        environment,
        workingDirectory: scratch,
        nodeOptions,
        readyTimeoutMs: 120_000,
      })
      try {
        const figures = await measure(service, chosen)
        measured.set(name, [...(measured.get(name) ?? []), figures])
        console.error(`${name}: ${figures.processorSeconds?.toFixed(1)} CPU s, ${figures.seconds.toFixed(1)} s`)
      } finally {
        await service.stop()
        await rm(dataDir, { recursive: true, force: true })
      }
    }
  }
  print(measured, await embeddingSeconds(cases.get('batch')?.texts ?? []))
}

async function measure(service: ServiceProcess, { texts, store }: Case): Promise<Figures> {
  const client = httpClient(service.root, 4, 600_000)
  try {
    // Loads the models, and starts the threads that read long texts.
    for (const content of [sentence(1).text.repeat(30), 'I moved to Bern. I work for the city now.'])
      accepted(await client.send('POST', '/api/v1/store', { user_id: 'warm', content }), 'store')
    const [start, cpu] = [performance.now(), await processorMs(service.pid)]
    const actions = await store(client, texts)
    const [end, cpuAfter] = [performance.now(), await processorMs(service.pid)]
    return {
      seconds: (end - start) / 1000,
      processorSeconds: cpu === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpu) / 1000,
      texts,
      actions,
    }
  } finally {
    client.close()
  }
}

/** Processor time of the embedder alone, in this process: what no ingest with this model can go below, and a measure of the machine. */
async function embeddingSeconds(texts: readonly string[]): Promise<number> {
  const embedder = await openLocalEmbedder()
  try {
    await embedder.embed(texts.slice(0, 1))
    const before = process.cpuUsage()
    for (let start = 0; start < texts.length; start += 32) await embedder.embed(texts.slice(start, start + 32))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  } finally {
    await embedder.close()
  }
}

function print(measured: ReadonlyMap<string, readonly Figures[]>, embedding: number): void {
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load ${(loadavg()[0] ?? 0).toFixed(1)}, Node ${process.version}; median of the rounds; limits off, the client on the same machine\n`,
  )
  const rows = [...measured].map(([name, rounds]) => {
    const { seconds, processorSeconds = Number.NaN, texts, actions } = median(rounds)
    const kilobytes = Buffer.byteLength(texts.join('')) / 1000
    const each = ((processorSeconds * 1000) / texts.length).toFixed(1)
    const told = Object.entries(actions).map(([action, times]) => `${times} ${action}`)
    const speeds = [texts.length / seconds, kilobytes / seconds, kilobytes / processorSeconds]
    const [textsPerSecond = '', perSecond = '', perCore = ''] = speeds.map((speed) => speed.toFixed(1))
    return [name, textsPerSecond, each, perSecond, perCore, told.join(', ')]
  })
  console.log(markdownTable(['case', 'texts/s', 'CPU ms per text', 'KB/s', 'KB per CPU second', 'memories'], rows))
  const batch = measured.get('batch')
  if (batch === undefined) return
  const { texts, processorSeconds = Number.NaN } = median(batch)
  const alone = (embedding * 1000) / texts.length
  console.log(
    `embedding the same texts alone: ${alone.toFixed(1)} CPU ms per text; a batch takes ${(processorSeconds / embedding).toFixed(1)} times as much`,
  )
  const single = measured.get('single')
  if (single)
    console.log(`batch ÷ single: ${(processorSeconds / (median(single).processorSeconds ?? 0)).toFixed(2)} of the CPU`)
}

function median(rounds: readonly Figures[]): Figures {
  const by = ({ processorSeconds, seconds }: Figures) => processorSeconds ?? seconds
  const sorted = [...rounds].sort((a, b) => by(a) - by(b))
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (!middle) throw new Error('there are no figures')
  return middle
}

/** Not in the system's temporary folder, which may be in memory. */
async function scratchDirectory(): Promise<string> {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'ingest-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

// An interrupted run removes its processes and files like any other.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
