/**
 * Other memory systems under the same load on the same machine, installed on demand: mem0's TypeScript package with its
 * own local vector store, and the reference memory server of the Model Context Protocol.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { accepted, httpClient } from '../http-client.js'
import { type ServiceProcess, startService } from '../service-process.js'
import { type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { sentence } from '../speed/sentences.js'
import type { Loaded } from './report.js'
import { closedLoop } from './traffic.js'
import { watchUsage } from './usage.js'

const installed = fileURLToPath(new URL('../../.cache/peers/', import.meta.url))
const peerServer = fileURLToPath(new URL('./peer-server.mjs', import.meta.url))
const stubModels = fileURLToPath(new URL('./stub-models.ts', import.meta.url))
const seedingConnections = 8

interface Peer {
  readonly name: 'mem0' | 'reference'
  readonly title: string
  readonly package: string
  readonly version: string
  /** A native package that must be compiled for it. */
  readonly builds?: string
  readonly remark: string
  /** The peer only finds texts that contain the query word for word, so the query is a name. */
  readonly question?: (question: string) => string
}

const peers: readonly Peer[] = [
  {
    name: 'mem0',
    title: 'mem0',
    package: 'mem0ai',
    version: '3.3.1',
    builds: 'better-sqlite3',
    remark: 'stores texts unchanged; its own local vector store; the same embedder over HTTP',
  },
  {
    name: 'reference',
    title: 'MCP reference memory server',
    package: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    remark: 'no vectors, keyword search; one file for all users',
    question: (question) => /[A-Z][a-z]+ [A-Z][a-z]+/.exec(question.slice(1))?.[0] ?? question,
  },
]

export async function measurePeers(
  scenarios: readonly Scenario[],
  plan: { readonly seconds: number; readonly connections: number },
  log: (line: string) => void,
): Promise<Loaded[]> {
  const results: Loaded[] = []
  for (const peer of peers) {
    try {
      await install(peer, log)
      for (const scenario of scenarios) results.push(await measurePeer(peer, scenario, plan, log))
    } catch (error) {
      log(`${peer.title} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return results
}

/** Outside this repository's packages and not in its lockfile. */
async function install(peer: Peer, log: (line: string) => void): Promise<void> {
  const { package: name, version, builds } = peer
  const manifest = join(installed, 'node_modules', name, 'package.json')
  // Written by npm.
  const found = existsSync(manifest)
    ? (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
    : ''
  if (found !== version) {
    log(`installing ${name}@${version} into .cache/peers (once)`)
    await mkdir(installed, { recursive: true })
    if (!existsSync(join(installed, 'package.json'))) {
      await writeFile(join(installed, 'package.json'), '{ "name": "peers", "private": true }\n')
    }
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`)
  }
  if (builds === undefined || existsSync(join(installed, 'node_modules', builds, 'build/Release'))) return
  log(`building ${builds} for ${name} (once; takes minutes and needs a compiler)`)
  await npm('rebuild', '--foreground-scripts', builds)
}

async function npm(command: string, ...options: string[]): Promise<void> {
  const given = [command, '--prefix', installed, ...options]
  await promisify(execFile)('npm', given, { cwd: installed, maxBuffer: 2 ** 26 }).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error)
    throw new Error(`npm ${command} ${options.at(-1)} failed: ${text.slice(-600)}`)
  })
}

async function measurePeer(
  peer: Peer,
  scenario: Scenario,
  plan: { readonly seconds: number; readonly connections: number },
  log: (line: string) => void,
): Promise<Loaded> {
  const data = await mkdtemp(join(tmpdir(), 'keepsake-peer-'))
  const models = peer.name === 'mem0' ? await startStub(data) : undefined
  const service = await startService({
    nodeArguments: [peerServer, peer.name, installed, data, models?.root ?? ''],
    environment: { MEM0_TELEMETRY: 'false', HOME: data },
    workingDirectory: data,
    readyTimeoutMs: 120_000,
  })
  try {
    const startedAt = performance.now()
    await seed(service.root, scenario)
    log(`${peer.title}: seeded ${scenario.title} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    const target = {
      roots: [service.root],
      scenario,
      sharesTexts: false,
      ...(peer.question === undefined ? {} : { question: peer.question }),
    }
    await closedLoop(target, plan.connections, plan.seconds / 3)
    const pids = [service.pid, ...(models ? [models.pid] : [])]
    const watched = await watchUsage([{ name: 'service', pids: () => withChildren(pids) }])
    const load = await closedLoop(target, plan.connections, plan.seconds)
    const memories = scenario.users * scenario.memoriesPerUser
    return {
      ...{ system: `${peer.title} ${peer.version}`, size: `${memories / 1000}k`, memories, instances: 1, load },
      used: await watched(),
      overload: undefined,
      remark: peer.remark,
    }
  } finally {
    await service.kill()
    await models?.kill()
    await rm(data, { recursive: true, force: true })
  }
}

function startStub(workingDirectory: string): Promise<ServiceProcess> {
  return startService({
    nodeArguments: ['--import', import.meta.resolve('tsx'), stubModels],
    environment: {},
    workingDirectory,
    readyTimeoutMs: 120_000,
  })
}

async function seed(root: string, scenario: Scenario): Promise<void> {
  const client = httpClient(root, seedingConnections)
  let next = 0
  const total = scenario.users * scenario.memoriesPerUser
  const work = async (): Promise<void> => {
    while (next < total) {
      const number = next++
      // Round-robin over the users, so that each has a first memory early.
      const [user, memory] = [number % scenario.users, Math.floor(number / scenario.users)]
      const content = sentence(sentenceNumber(scenario, user, memory)).text
      accepted(await client.send('POST', '/api/v1/store', { content, user_id: userId(scenario, user) }), 'seeding')
    }
  }
  await Promise.all(Array.from({ length: seedingConnections }, work))
  client.close()
}

async function withChildren(pids: readonly number[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', pids.join(',')]).catch(() => ({
    stdout: '',
  }))
  return [...pids, ...stdout.split(/\s+/).filter(Boolean).map(Number)]
}
