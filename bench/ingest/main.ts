/** `npm run bench:ingest`: how fast the built service takes in short memories, one per request and in batches, and long texts. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accepted, asRecord, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { processorMs, type ServiceProcess, serviceEnvironment, startService } from '../service-process.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'

const usage = `npm run bench:ingest -- [options]
  --items 300       short memories per case
  --size 100        items per batch
  --prose 100       kilobytes of prose
  --rounds 1        the cases take turns; the median counts
  --only single,... some of: single, parallel, batch, prose, prose-batch
  --profile DIR     write CPU profiles of the service there
  --database-url URL  PostgreSQL instead of SQLite
  --help`

interface Figures {
  readonly seconds: number
  readonly processorSeconds: number | undefined
  readonly items: number
  readonly kilobytes: number
  /** How many memories were added, and how many texts changed or repeated something. */
  readonly actions: Readonly<Record<string, number>>
}

interface Texts {
  readonly short: readonly string[]
  readonly prose: readonly string[]
}

type Case = (client: HttpClient, texts: Texts, size: number) => Promise<Ingested>

interface Ingested {
  readonly texts: readonly string[]
  readonly actions: Record<string, number>
}

/** As in an import: an item is not the next turn of the one before. */
const itemOf = (content: string, index: number) => ({ content, conversation_id: `note ${index}`, source: 'bench' })

const cases: Readonly<Record<string, Case>> = {
  single: (client, { short }) => oneByOne(client, short, 1),
  parallel: (client, { short }) => oneByOne(client, short, 4),
  batch: (client, { short }, size) => inBatches(client, short, size),
  prose: (client, { prose }) => oneByOne(client, prose, 1),
  'prose-batch': (client, { prose }, size) => inBatches(client, prose, size),
}

async function oneByOne(client: HttpClient, texts: readonly string[], together: number): Promise<Ingested> {
  const actions: Record<string, number> = {}
  const left = [...texts.entries()]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, content] = next
      const answer = await client.send('POST', '/api/v1/store', { user_id: 'ana', ...itemOf(content, index) })
      count(actions, accepted(answer, 'store'))
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return { texts, actions }
}

async function inBatches(client: HttpClient, texts: readonly string[], size: number): Promise<Ingested> {
  const actions: Record<string, number> = {}
  for (let start = 0; start < texts.length; start += size) {
    const items = texts.slice(start, start + size).map((content, index) => itemOf(content, start + index))
    const answer = await client.send('POST', '/api/v1/store/batch', { user_id: 'ana', items })
    for (const { status, result } of asRecords(accepted(answer, 'batch').results, 'batch')) {
      if (status !== 'stored') throw new Error(`an item was not stored: ${answer.text.slice(0, 300)}`)
      count(actions, asRecord(result, 'batch'))
    }
  }
  return { texts, actions }
}

function count(actions: Record<string, number>, { memories }: Record<string, unknown>): void {
  for (const { action } of asRecords(memories, 'store')) actions[String(action)] = (actions[String(action)] ?? 0) + 1
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      items: { type: 'string', default: '300' },
      size: { type: 'string', default: '100' },
      prose: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '1' },
      only: { type: 'string', default: Object.keys(cases).join(',') },
      profile: { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const texts = { short: shortTexts(Number(options.items)), prose: proseTexts(Number(options.prose) * 1000) }
  const measured = new Map<string, Figures[]>()
  const scratch = await scratchDirectory()
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const name of options.only.split(',')) {
      const ingest = cases[name]
      if (!ingest) throw new Error(`there is no case ${name}`)
      const dataDir = join(scratch, `${name}-${round}`)
      const environment = {
        ...serviceEnvironment(dataDir),
        ...(options['database-url'] === undefined ? {} : { SERVICE_DATABASE_URL: options['database-url'] }),
      }
      const nodeOptions = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
      const service = await startService({ environment, workingDirectory: scratch, nodeOptions })
      try {
        const figures = await measure(service, ingest, texts, Number(options.size))
        measured.set(name, [...(measured.get(name) ?? []), figures])
      } finally {
        await service.stop()
        await rm(dataDir, { recursive: true, force: true })
      }
    }
  }
  print(measured)
}

async function measure(service: ServiceProcess, ingest: Case, texts: Texts, size: number): Promise<Figures> {
  const client = httpClient(service.root, 4, 600_000)
  try {
    // Loads the models, and starts the threads that read long texts.
    await client.send('POST', '/api/v1/store', { user_id: 'warm', content: texts.prose[0] })
    await client.send('POST', '/api/v1/store', {
      user_id: 'warm',
      content: 'I moved to Bern. I work for the city now.',
    })
    await client.send('DELETE', '/api/v1/memories', { user_id: 'ana', all: true })
    const [start, cpu] = [performance.now(), await processorMs(service.pid)]
    const { texts: sent, actions } = await ingest(client, texts, size)
    const [end, cpuAfter] = [performance.now(), await processorMs(service.pid)]
    return {
      seconds: (end - start) / 1000,
      processorSeconds: cpu === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpu) / 1000,
      items: sent.length,
      kilobytes: Buffer.byteLength(sent.join('')) / 1000,
      actions,
    }
  } finally {
    client.close()
  }
}

function shortTexts(number: number): string[] {
  return Array.from({ length: number }, (_, index) => sentence(index * 7).text)
}

/** Texts of about 2,500 characters, as an assistant writes them. */
function proseTexts(bytes: number): string[] {
  const texts: string[] = []
  for (let number = 0, size = 0; size < bytes; ) {
    const sentences: string[] = []
    while (sentences.join(' ').length < 2_500) sentences.push(sentence(100_000 + number++ * 3).text)
    texts.push(sentences.join(' '))
    size += Buffer.byteLength(texts.at(-1) ?? '')
  }
  return texts
}

function print(measured: ReadonlyMap<string, readonly Figures[]>): void {
  const cores = availableParallelism()
  console.log(
    `${cores} cores, Node ${process.version}; median of the rounds; limits off, the client on the same machine\n`,
  )
  const rows = [...measured].map(([name, rounds]) => {
    const { seconds, processorSeconds, items, kilobytes, actions } = median(rounds)
    const perCore = processorSeconds === undefined ? '' : (kilobytes / processorSeconds).toFixed(1)
    const each = processorSeconds === undefined ? '' : ((processorSeconds * 1000) / items).toFixed(1)
    const told = Object.entries(actions).map(([action, times]) => `${times} ${action}`)
    return [name, (items / seconds).toFixed(1), each, (kilobytes / seconds).toFixed(1), perCore, told.join(', ')]
  })
  console.log(markdownTable(['case', 'texts/s', 'CPU ms per text', 'KB/s', 'KB per CPU second', 'memories'], rows))
  for (const [name, base] of [
    ['batch', 'single'],
    ['batch', 'parallel'],
    ['prose-batch', 'prose'],
  ] as const) {
    const [rounds, others] = [measured.get(name), measured.get(base)]
    if (rounds && others)
      console.log(
        `${name} ÷ ${base}: ${(median(others).seconds / median(rounds).seconds).toFixed(2)} times as many texts per second`,
      )
  }
}

function median(rounds: readonly Figures[]): Figures {
  const sorted = [...rounds].sort((a, b) => a.seconds - b.seconds)
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
