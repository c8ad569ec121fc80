/**
 * How a store handles facts that change: the cases in `cases/contradictions.jsonl`, sent over HTTP to the wired
 * service. A case is right if every store did what a careful reader would do (`then`) and if the current, ended and
 * absent relationships are right too. Rules may be written with the misses of one half in view (`--show`); the other
 * half, selected by a hash of the id, is only counted.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../../packages/server/src/boot/compose.js'
import { loadConfig } from '../../packages/server/src/config/config.js'
import { nameKey } from '../../packages/server/src/core/entity.js'
import { readRows } from '../quality/rows.js'
import { markdownTable } from '../table.js'
import type { Part, PartOptions } from './part.js'

interface Case {
  readonly id: string
  readonly kind: string
  readonly stores: readonly object[]
  readonly then: readonly { readonly action: string; readonly of?: readonly number[] }[]
  readonly holds?: readonly string[]
  readonly ended?: readonly string[]
  readonly absent?: readonly string[]
}

interface Outcome {
  readonly one: Case
  readonly blind: boolean
  /** Descriptions of the errors; empty: right. */
  readonly faults: readonly string[]
  readonly decided: boolean
  /** Memories that left recall, or never entered it, although their statement is still true. */
  readonly lost: number
}

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>

export const contradictions: Part = {
  name: 'contradictions',
  about: 'changed, refined, repeated and compatible facts',
  async measure(options) {
    const outcomes = await withService((call, advance) => runAll(options, call, advance))
    console.log(tableOf(outcomes))
    if (options.show) for (const outcome of outcomes) if (!outcome.blind) show(outcome)
    const results = join(options.repository, 'bench/results')
    await mkdir(results, { recursive: true })
    const file = join(results, 'contradictions.json')
    await writeFile(file, `${JSON.stringify(figuresOf(outcomes), null, 1)}\n`)
    console.log(`\nall results: ${file}`)
  },
}

async function runAll(options: PartOptions, call: Call, advance: () => void): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const cases = join(options.repository, 'bench/understanding/cases')
  for await (const one of readRows<Case>(cases, 'contradictions', ['id', 'kind', 'stores', 'then']))
    outcomes.push(await runCase(one, call, advance))
  return outcomes
}

async function withService<T>(work: (call: Call, advance: () => void) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-contradictions-'))
  let now = Date.UTC(2026, 2, 2, 10)
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  const service = await compose(config, {
    clock: { now: () => now },
    writeAuditLine: () => undefined,
  })
  try {
    await service.app.ready()
    return await work(
      async (method, path, body) => {
        const answer = await service.app.inject({
          method,
          url: `/api/v1${path}`,
          ...(body === undefined ? {} : { payload: body }),
        })
        if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.payload}`)
        return answer.json()
      },
      () => {
        now += 86_400_000
      },
    )
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

interface StoreAnswer {
  readonly memories: readonly {
    readonly id: string
    readonly action: string
    readonly supersedes?: readonly string[]
  }[]
}

async function runCase(one: Case, call: Call, advance: () => void): Promise<Outcome> {
  const storeOf = new Map<string, number>()
  const faults: string[] = []
  let lost = 0
  for (const [index, body] of one.stores.entries()) {
    advance()
    // The tests' `contract.ts` checks that responses match the OpenAPI document.
    const { memories } = (await call('POST', '/store', { user_id: one.id, ...body })) as StoreAnswer
    const expected = one.then[index] ?? { action: 'ADD' }
    const replaced = new Set(
      memories.flatMap(({ supersedes = [] }) => supersedes.map((id) => storeOf.get(id) ?? -1)).filter((at) => at >= 0),
    )
    const repeated = new Set(memories.filter(({ action }) => action === 'NOOP').map(({ id }) => storeOf.get(id) ?? -1))
    const action = replaced.size > 0 ? 'UPDATE' : repeated.size === memories.length ? 'NOOP' : 'ADD'
    const of = [...(action === 'UPDATE' ? replaced : action === 'NOOP' ? repeated : [])].sort()
    const wanted = expected.of ?? []
    if (action !== expected.action || of.join() !== wanted.join())
      faults.push(`store ${index}: ${action} ${of.join()}, not ${expected.action} ${wanted.join()}`)
    lost += of.filter((at) => !wanted.includes(at) || action !== expected.action).length
    for (const { id } of memories) if (!storeOf.has(id)) storeOf.set(id, index)
  }
  const decided = faults.length === 0
  faults.push(...(await relationshipFaults(one, call)))
  return { one, faults, decided, lost, blind: isBlind(one.id) }
}

function isBlind(id: string): boolean {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 1
}

const symmetrical = new Set(['SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS'])

async function relationshipFaults(one: Case, call: Call): Promise<string[]> {
  if (!one.holds && !one.ended && !one.absent) return []
  const now = await relationshipsOf(one.id, call, false)
  const ever = await relationshipsOf(one.id, call, true)
  const twice = now.filter((key, index) => now.indexOf(key) !== index)
  const missing = (one.holds ?? []).filter((text) => !now.includes(keyOf(text, one.id)))
  const still = [...(one.ended ?? []), ...(one.absent ?? [])].filter((text) => now.includes(keyOf(text, one.id)))
  const forgotten = (one.ended ?? []).filter((text) => !ever.includes(keyOf(text, one.id)))
  return [
    ...missing.map((text) => `does not hold: ${text}`),
    ...still.map((text) => `still holds: ${text}`),
    ...forgotten.map((text) => `no history of: ${text}`),
    ...twice.map((key) => `twice: ${key}`),
  ]
}

function keyOf(text: string, user: string): string {
  const match = /^(.+?) ([A-Z_]+) (.+)$/.exec(text)
  if (!match) throw new Error(`not a relationship: ${text}`)
  const [source = '', target = ''] = [match[1], match[3]].map((name) => nameKey(name === 'me' ? user : (name ?? '')))
  return relationshipKey(source, match[2] ?? '', target)
}

function relationshipKey(source: string, type: string, target: string): string {
  const ends = symmetrical.has(type) ? [source, target].sort() : [source, target]
  return [type, ...ends].join('|')
}

async function relationshipsOf(user: string, call: Call, history: boolean): Promise<string[]> {
  const { entities } = (await call('GET', `/entities?user_id=${encodeURIComponent(user)}&limit=100`)) as {
    entities: readonly { id: string }[]
  }
  const found = new Map<string, string>()
  for (const { id } of entities) {
    const { relationships } = (await call(
      'GET',
      `/entities/${id}/relationships${history ? '?include_history=true' : ''}`,
    )) as { relationships: readonly { id: string; source: string; type: string; target: string }[] }
    for (const { id: relationship, source, type, target } of relationships)
      found.set(relationship, relationshipKey(nameKey(source), type, nameKey(target)))
  }
  return [...found.values()]
}

function tableOf(outcomes: readonly Outcome[]): string {
  const kinds = [...new Set(outcomes.map(({ one }) => one.kind))]
  const row = (name: string, some: readonly Outcome[]) => [
    name,
    String(some.length),
    share(some, right),
    share(some, ({ decided }) => decided),
    share(
      some.filter(({ blind }) => !blind),
      right,
    ),
    share(
      some.filter(({ blind }) => blind),
      right,
    ),
    String(some.reduce((sum, { lost }) => sum + lost, 0)),
  ]
  return markdownTable(
    ['kind', 'cases', 'right %', 'decisions right %', 'seen half %', 'blind half %', 'compatible facts lost'],
    [
      ...kinds.map((kind) =>
        row(
          kind,
          outcomes.filter(({ one }) => one.kind === kind),
        ),
      ),
      row('all', outcomes),
    ],
  )
}

const right = ({ faults }: Outcome): boolean => faults.length === 0

function share(some: readonly Outcome[], good: (outcome: Outcome) => boolean): string {
  return some.length === 0 ? '–' : ((100 * some.filter(good).length) / some.length).toFixed(1)
}

function figuresOf(outcomes: readonly Outcome[]) {
  return {
    cases: outcomes.length,
    right: outcomes.filter(right).length,
    lost: outcomes.reduce((sum, { lost }) => sum + lost, 0),
    halves: [false, true].map((half) => {
      const some = outcomes.filter(({ blind }) => blind === half)
      return { blind: half, cases: some.length, right: some.filter(right).length }
    }),
    kinds: [...new Set(outcomes.map(({ one }) => one.kind))].map((kind) => {
      const some = outcomes.filter(({ one }) => one.kind === kind)
      return { kind, cases: some.length, right: some.filter(right).length, lost: some.reduce((n, o) => n + o.lost, 0) }
    }),
  }
}

function show({ one, faults, lost }: Outcome): void {
  if (faults.length === 0) return
  console.log(`\n${one.id}${lost > 0 ? ' LOST' : ''}: ${faults.join('; ')}`)
  for (const store of one.stores) console.log(`  ${JSON.stringify(store)}`)
}
