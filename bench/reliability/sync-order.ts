/**
 * Checks that a write is on the disk before it is acknowledged, by tracing the system calls of the service, and of
 * PostgreSQL if that does the writing: between a request and its answer the write-ahead log is written and synced, and
 * only then is the answer sent.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accepted, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { openEngine } from './engines.js'
import { type EngineName, type Fault, type FaultResult, until } from './fault.js'
import { straceObstacle } from './file-systems.js'
import type { Problem } from './ledger.js'

const calls = 'trace=read,recvfrom,write,writev,sendto,sendmsg,pwrite64,pwritev,fsync,fdatasync'
const logOf: Readonly<Record<EngineName, RegExp>> = { sqlite: /keepsake\.db-wal>/, postgres: /\/pg_wal\/[0-9A-F]{24}>/ }

export const syncOrder: Fault = {
  engines: ['sqlite', 'postgres'],
  obstacle: straceObstacle,
  async run(context) {
    const requests = context.rounds ?? 60
    const engine = await openEngine(context.engine, context.directory)
    const service = await context.start(engine.start)
    const trace = join(context.directory, 'trace')
    const client = httpClient(service.root)
    try {
      // Before tracing starts, so that all database connections exist.
      await writeInTurn(client, 9)
      const watcher = await watch([service.pid, ...((await engine.server?.pids()) ?? [])], trace)
      await writeInTurn(client, requests)
      await watcher.end()
      const { answers, problems } = judge(await readFile(trace, 'utf8'), logOf[context.engine])
      const unseen = requests - answers
      if (unseen !== 0)
        problems.push({ kind: 'answer', text: `${unseen} of ${requests} answers are missing from the trace` })
      const seen = `${answers} answers to writes, each after the sync of its write`
      return { rounds: answers, problems, seen: problems.length === 0 ? seen : '' } satisfies FaultResult
    } finally {
      client.close()
      await service.kill()
      await engine.close()
    }
  },
}

/** Store, update and delete in turn, one at a time, so that each answer clearly belongs to its request. */
async function writeInTurn(client: HttpClient, requests: number): Promise<void> {
  let id = ''
  for (let turn = 0; turn < requests; turn++) {
    if (turn % 3 === 0) {
      const body = { user_id: 'sync', content: `The parcel number ${performance.now()} arrived on Tuesday.` }
      const { memories } = accepted(await client.send('POST', '/api/v1/store', body), 'store')
      id = String(asRecords(memories, 'store')[0]?.id)
    } else if (turn % 3 === 1) {
      accepted(await client.send('PUT', `/api/v1/memories/${id}`, { metadata: { turn } }), 'update')
    } else accepted(await client.send('DELETE', '/api/v1/memories', { memory_ids: [id], user_id: 'sync' }), 'delete')
  }
}

/** Traces all threads of these processes. */
async function watch(pids: readonly number[], file: string): Promise<{ end(): Promise<void> }> {
  const attached = pids.flatMap((pid) => ['-p', String(pid)])
  const strace: ChildProcess = spawn('strace', ['-f', '-y', '-s', '24', '-e', calls, '-o', file, ...attached], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  process.once('exit', () => strace.kill('SIGINT'))
  const gone = new Promise((resolve) => strace.once('exit', resolve))
  let told = ''
  strace.stderr?.on('data', (chunk: Buffer) => {
    told += chunk.toString('utf8')
  })
  const isAttached = await until(() => told.split(' attached').length > pids.length, 10_000)
  if (!isAttached) throw new Error(`strace could not attach: ${told}`)
  return {
    async end() {
      strace.kill('SIGINT')
      await gone
    },
  }
}

/** Reads the system calls in order. An interrupted call has two lines and is complete at the second. */
function judge(trace: string, log: RegExp): { answers: number; problems: Problem[] } {
  const begun = new Map<string, string>()
  const problems: Problem[] = []
  let answers = 0
  /** Undefined: no request is open. */
  let open: { readonly request: string; readonly isSyncedBy: Map<string, boolean> } | undefined
  for (const line of trace.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const isUnfinished = rest.includes('<unfinished ...>')
    if (isUnfinished) begun.set(thread, rest)
    const isResumed = rest.startsWith('<... ')
    const call = isResumed ? `${begun.get(thread) ?? ''} ${rest}` : rest
    const name = /^[a-z0-9]+/.exec(call)?.[0] ?? ''
    // An answer counts from its first line, a disk write from its completion.
    const isSaid = /^(write|writev|sendto|sendmsg)$/.test(name) && call.includes('"HTTP/1.1 ')
    if (isSaid && !isResumed) {
      if (open === undefined) continue
      answers += 1
      const synced = [...open.isSyncedBy.values()]
      // PostgreSQL's background processes may write at the same time: it is enough that one process has written and
      // synced.
      if (synced.length === 0) problems.push({ kind: 'answer', text: `${open.request}: answered, and nothing written` })
      else if (!synced.includes(true))
        problems.push({ kind: 'answer', text: `${open.request}: answered before the sync` })
      open = undefined
    }
    if (isUnfinished) continue
    const request = /^(?:read|recvfrom)\(.*"((?:POST|PUT|DELETE) [^" ]*)/.exec(call)?.[1]
    if (request !== undefined) open = { request, isSyncedBy: new Map() }
    if (open === undefined || !log.test(call)) continue
    if (name.startsWith('pwrite')) open.isSyncedBy.set(thread, false)
    else if (open.isSyncedBy.has(thread) && / = 0$/.test(call)) open.isSyncedBy.set(thread, true)
  }
  return { answers, problems }
}
