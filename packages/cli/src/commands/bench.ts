import { parseArgs } from 'node:util'
import { type Keepsake, RateLimitError } from '@keepsake/client'
import { describeMachine, type Machine } from '../bench/machine.js'
import { type Spread, spreadOf } from '../bench/spread.js'
import { startTemporary } from '../bench/temporary-service.js'
import { clockOf } from '../clock.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import {
  apiKeyOf,
  type ConnectionValues,
  connect,
  connectionOptions,
  jsonOption,
  urlOf,
  userOf,
} from '../connection.js'
import { numberOption } from '../input.js'
import { columns, painterFor, writeJson, writeLine } from '../output.js'
import { showProgress } from '../progress.js'

const { project: _project, ...ownConnection } = connectionOptions

const options = {
  embedded: { type: 'boolean', help: 'measure a temporary service in this process instead of a running one' },
  stores: {
    type: 'string',
    value: 'N',
    help: 'number of stores; default 25, which is below the rate limit per minute',
  },
  recalls: { type: 'string', value: 'N', help: 'number of recalls; default 50' },
  ...jsonOption,
  ...ownConnection,
} as const satisfies Options

/** Everything the benchmark stores is in this project, and is erased at the end. */
const project = 'keepsake-bench'

export const bench: Command = {
  name: 'bench',
  summary: 'measure how long stores and recalls take',
  usage: '',
  options,
  help: `A short measurement that sends one request at a time and includes everything between this terminal and the service: network,
authentication, models, disk. It reports the machine and its load. Everything it stores is in the project keepsake-bench and is
erased at the end; the next run erases what an interrupted run left. The first requests warm up caches and are not counted, nor
is time spent waiting for a rate limit. For comparable figures, run npm run bench on a quiet machine.`,
  examples: [
    'keepsake bench --user bench',
    'keepsake bench --embedded --stores 200 --recalls 500',
    'keepsake bench --embedded --json',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const bounds = { min: 1, max: 100_000, whole: true }
    const counts = {
      stores: numberOption('stores', values.stores, bounds) ?? 25,
      recalls: numberOption('recalls', values.recalls, bounds) ?? 50,
    }
    if (values.embedded && values.url !== undefined) throw new UsageError('pass --embedded or --url, not both')
    const temporary = values.embedded ? await startTemporary() : undefined
    try {
      const place = temporary === undefined ? ownUser(values, io) : { url: temporary.url, user: project }
      const env = { ...io.env, KEEPSAKE_PROJECT: undefined, ...(temporary ? { KEEPSAKE_API_KEY: undefined } : {}) }
      const client = connect({ ...values, ...place, project }, { ...io, env })
      const where = temporary === undefined ? urlOf(values, io) : 'a temporary service in this process'
      await report(await measured(client, counts, where, io), values.json === true, io)
    } finally {
      await temporary?.close()
    }
    return exitCodes.fine
  },
}

/** Without authentication and without --user, uses a user that nobody else has. */
function ownUser(values: ConnectionValues, io: Io): { readonly user?: string } {
  return userOf(values, io) === undefined && apiKeyOf(values, io) === undefined ? { user: project } : {}
}

interface Measured {
  readonly machine: Machine
  readonly service: { readonly where: string; readonly version: string | undefined }
  readonly store: Spread
  readonly recall: Spread
  readonly waitedForLimits: number
}

async function measured(
  client: Keepsake,
  { stores, recalls }: { readonly stores: number; readonly recalls: number },
  where: string,
  io: Io,
): Promise<Measured> {
  const { version } = await client.health()
  const progress = showProgress(io.stderr, { label: 'bench', unit: 'requests', total: stores + recalls })
  let waitedForLimits = 0
  async function timed(count: number, send: (at: number) => Promise<unknown>): Promise<Spread> {
    const times: number[] = []
    for (let at = -warmUps; at < count; at += 1) {
      const waits = await untilDone(io, async () => {
        const startedAt = performance.now()
        await send(at)
        if (at >= 0) times.push(performance.now() - startedAt)
      })
      waitedForLimits += waits
      if (at >= 0) progress.advance()
    }
    return spreadOf(times)
  }
  try {
    const store = await timed(stores, (at) =>
      client.store(sentence(at + warmUps), { source: 'bench', idempotent: false }),
    )
    const recall = await timed(recalls, (at) => client.recall(`Who met in ${towns[(at + warmUps) % towns.length]}?`))
    return { machine: describeMachine(), service: { where, version }, store, recall, waitedForLimits }
  } finally {
    progress.end()
    await client.forget({ all: true })
  }
}

const warmUps = 2
const people = [
  'Ana',
  'Bela',
  'Chiara',
  'Dimitri',
  'Elin',
  'Farid',
  'Goro',
  'Hanna',
  'Imran',
  'Jun',
  'Kofi',
  'Lena',
  'Mirek',
]
const towns = ['Bergen', 'Cadiz', 'Delft', 'Evora', 'Fez', 'Ghent', 'Haifa', 'Izmir', 'Jena', 'Kyoto', 'Lund']

function sentence(at: number): string {
  const [one, other] = [people[at % people.length], people[(at * 5 + 1) % people.length]]
  return `${one} met ${other} in ${towns[at % towns.length]} and told a story about number ${at}.`
}

/** Returns how often it had to wait for a rate limit. */
async function untilDone(io: Io, send: () => Promise<void>): Promise<number> {
  for (let waits = 0; ; waits += 1) {
    try {
      await send()
      return waits
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error
      await clockOf(io).sleep((error.retryAfter ?? 5) * 1000, new AbortController().signal)
    }
  }
}

async function report(result: Measured, isJson: boolean, io: Io): Promise<void> {
  if (isJson) return writeJson(io, result)
  const paint = painterFor(io)
  const { machine, service, store, recall, waitedForLimits } = result
  const cells = ({ count, p50, p95, p99, max, perSecond }: Spread) =>
    [String(count), ...[p50, p95, p99, max].map((ms) => ms.toFixed(1)), perSecond.toFixed(1)] as const
  const lines = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}`,
    `load ${machine.load.toFixed(1)}${machine.load > machine.cores / 2 ? ': other work slows this down' : ''}`,
    `${service.where}${service.version === undefined ? '' : `, Keepsake ${service.version}`}`,
    '',
  ].map((line) => paint('dim', line))
  const head = ['', 'requests', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'per second']
  const table = columns([head, ['store', ...cells(store)], ['recall', ...cells(recall)]])
  for (const line of [...lines, ...table]) await writeLine(io.stdout, line)
  if (waitedForLimits > 0)
    await writeLine(io.stdout, paint('yellow', `waited ${waitedForLimits} times for a rate limit`))
}
