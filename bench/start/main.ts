/**
 * `npm run bench:start`: how much processor time and memory the built service needs until it is ready, and after its first requests,
 * and how long `keepsake mcp` takes to answer `initialize`. A first start that is not counted creates the store and saves compiled
 * code, as in any installation that has run before. Every round restarts the service on that store. Node alone is measured beside it,
 * because other programs on the machine slow both down. Prints medians; fails if a target is missed.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  builtService,
  processorMs,
  residentMemory,
  type ServiceProcess,
  serviceEnvironment,
  startService,
} from '../service-process.js'

const targets = { cpuMs: 1000, megabytes: 250, initializeMs: 300 }
const commandLine = fileURLToPath(new URL('../../packages/cli/keepsake.mjs', import.meta.url))
const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(options.rounds)

interface Measured {
  readonly readyMs: number
  readonly cpuMs: number
  readonly megabytes: number
  readonly storeMs: number
  readonly recallMs: number
  readonly usedMegabytes: number
  readonly loadedCpuMs: number
  readonly loadedMegabytes: number
  readonly initializeMs: number
  readonly initializeCpuMs: number
  readonly nodeMs: number
  readonly nodeCpuMs: number
}

const root = await mkdtemp(join(tmpdir(), 'keepsake-bench-start-'))
try {
  await prepare()
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round += 1) measured.push(await measure(round))
  if (!report(measured)) process.exitCode = 1
} finally {
  await rm(root, { recursive: true, force: true })
}

function start(): Promise<ServiceProcess> {
  return startService({
    environment: { ...serviceEnvironment(join(root, 'data')), SERVICE_LOG_LEVEL: 'warn' },
    workingDirectory: root,
    readyTimeoutMs: 120_000,
  })
}

async function prepare(): Promise<void> {
  const service = await start()
  await post(service, 'store', { user_id: 'ana', content: 'John works at Acme Corp. I love hiking.' })
  await post(service, 'recall', { user_id: 'ana', query: 'Where does John work?' })
  await until('compiled code', async () => {
    const files = await readdir(join(dirname(builtService), 'bundle', 'code')).catch(() => [])
    return ['program', 'writer-worker', 'reader-worker'].every((name) => files.some((file) => file.startsWith(name)))
  })
  await service.stop()
}

async function measure(round: number): Promise<Measured> {
  const service = await start()
  const { readyMs } = service
  const ready = await usage(service)
  const storeMs = await post(service, 'store', { user_id: 'ana', content: `In week ${round} I visited Lisbon.` })
  const recallMs = await post(service, 'recall', { user_id: 'ana', query: 'Which city did I visit?' })
  const used = await usage(service)
  await until('models', async () => {
    const answer = await fetch(`${service.root}/api/v1/health`)
    return /embedder, tagger/.test(await answer.text())
  })
  const loaded = await usage(service)
  await service.stop()
  const initialized = await firstAnswer([commandLine, 'mcp', '--data-dir', join(root, 'mcp')], initialize)
  const node = await firstAnswer(['-e', 'process.stdin.once("data", (line) => process.stdout.write(line))'], initialize)
  return {
    readyMs,
    ...ready,
    storeMs,
    recallMs,
    usedMegabytes: used.megabytes,
    loadedCpuMs: loaded.cpuMs,
    loadedMegabytes: loaded.megabytes,
    initializeMs: initialized.milliseconds,
    initializeCpuMs: initialized.cpuMs,
    nodeMs: node.milliseconds,
    nodeCpuMs: node.cpuMs,
  }
}

/** From the start of a program to the first line that it writes. */
async function firstAnswer(args: readonly string[], input: string) {
  const begun = performance.now()
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.stdin.write(input)
  const answered = await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), exited])
  const milliseconds = performance.now() - begun
  const cpuMs = child.pid === undefined ? undefined : await processorMs(child.pid).catch(() => undefined)
  child.stdin.end()
  await exited
  if (!Buffer.isBuffer(answered) || cpuMs === undefined) throw new Error(`${args[0]} gave no answer`)
  return { milliseconds, cpuMs }
}

async function usage({ pid }: ServiceProcess): Promise<{ readonly cpuMs: number; readonly megabytes: number }> {
  const [cpuMs, memory] = await Promise.all([processorMs(pid), residentMemory(pid)])
  if (cpuMs === undefined || memory === undefined) throw new Error('this benchmark needs /proc')
  return { cpuMs, megabytes: memory.nowMegabytes }
}

/** Returns how long it took. */
async function post(service: ServiceProcess, path: string, body: object): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(`${service.root}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return performance.now() - begun
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await delay(100)) if (await isSo()) return
  throw new Error(`no ${what} after two minutes`)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function report(measured: readonly Measured[]): boolean {
  const of = (name: keyof Measured) => median(measured.map((each) => each[name]))
  const lines: (readonly [string, string])[] = [
    [`CPU to ready, s (target: ${targets.cpuMs / 1000})`, (of('cpuMs') / 1000).toFixed(2)],
    [`resident when ready, MB (target: ${targets.megabytes})`, of('megabytes').toFixed(0)],
    ['start to ready, ms', of('readyMs').toFixed(0)],
    ['first store / recall, ms', `${of('storeMs').toFixed(0)} / ${of('recallMs').toFixed(0)}`],
    ['resident after them, MB', of('usedMegabytes').toFixed(0)],
    [
      'CPU / resident with embedder and tagger loaded',
      `${(of('loadedCpuMs') / 1000).toFixed(2)} s / ${of('loadedMegabytes').toFixed(0)} MB`,
    ],
  ]
  lines.push(
    [`keepsake mcp to initialize, ms (target: ${targets.initializeMs})`, of('initializeMs').toFixed(0)],
    ['  CPU, ms', of('initializeCpuMs').toFixed(0)],
    ['Node alone to its first line, ms / CPU, ms', `${of('nodeMs').toFixed(0)} / ${of('nodeCpuMs').toFixed(0)}`],
  )
  console.log(`median of ${measured.length} starts`)
  for (const [name, value] of lines) console.log(`  ${name.padEnd(48)} ${value}`)
  return (
    of('cpuMs') <= targets.cpuMs && of('megabytes') <= targets.megabytes && of('initializeMs') <= targets.initializeMs
  )
}
