/** The service that agents share, as a process of its own: `node dist/agents/service.js`. Hooks start it and do not wait for it. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { isProgram } from './as-program.js'
import { openHookSocket } from './hook-socket.js'
import { type AgentSettings, objectIn, type Place, placeIn, type Service, settingsIn } from './place.js'
import { RefusedError, send, sendJson } from './request.js'
import { tokenVariable } from './start.js'
import { writeAtomically } from './write-file.js'

const readyWithinMs = 120_000

if (isProgram(import.meta.url)) await run(placeIn(process.env))

async function run(place: Place): Promise<void> {
  const token = process.env[tokenVariable]
  if (token === undefined || objectIn(place.lock)?.token !== token) return
  writeFileSync(place.lock, JSON.stringify({ token, pid: process.pid }), { mode: 0o600 })
  const settings = settingsIn(place)
  if (settings === undefined || settings.url !== undefined || (await isRunning(place))) {
    rmSync(place.lock, { force: true })
    return
  }
  const masterKey = settings.masterKey ?? randomBytes(32).toString('hex')
  if (settings.masterKey === undefined) saveSettings(place, { ...settings, masterKey })
  const port = await freePort(settings.port)
  const url = `http://127.0.0.1:${port}`
  // The service reads its settings only from the environment of its process. Settings that an agent’s shell happens to have must not
  // point it to another database.
  for (const name of Object.keys(process.env)) if (name.startsWith('SERVICE_')) delete process.env[name]
  Object.assign(process.env, {
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: String(port),
    SERVICE_DATA_DIR: settings.dataDir,
    SERVICE_LOG_LEVEL: 'warn',
    SERVICE_AUDIT_LOG: place.auditLog,
    SERVICE_MASTER_KEY: masterKey,
  })
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const { main } = await import('@keepsake/server')
  await main([])
  await untilReady(url)
  await ensureKey(place, url, masterKey)
  writeAtomically(place.running, JSON.stringify({ pid: process.pid, url }), 0o600)
  await openHookSocket(place, process.env)
  rmSync(place.lock, { force: true })
}

/** A process id can be reused, so the service itself has to answer. */
async function isRunning(place: Place): Promise<boolean> {
  const url = objectIn(place.running)?.url
  if (typeof url !== 'string') return false
  const { apiKey } = settingsIn(place) ?? {}
  if (apiKey === undefined) return false
  return isAccepted({ url, apiKey }).catch(() => false)
}

async function isAccepted(service: Pick<Service, 'url' | 'apiKey'>): Promise<boolean> {
  const answer = await send(service, { method: 'GET', path: '/api/v1/memories?limit=1', timeoutMs: 2000 })
  return answer.status === 200
}

/** The preferred port, or any other one if it is taken. */
async function freePort(preferred: number): Promise<number> {
  return (await listenOnce(preferred)) ?? (await listenOnce(0)) ?? 0
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}

async function untilReady(url: string): Promise<void> {
  const end = Date.now() + readyWithinMs
  for (;;) {
    const answer = await send({ url }, { method: 'GET', path: '/readyz', timeoutMs: 2000 }).catch(() => undefined)
    if (answer?.status === 200) return
    if (Date.now() > end) throw new Error(`the service did not become ready within ${readyWithinMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The agents’ API key. Another one is needed if the data directory was replaced. */
async function ensureKey(place: Place, url: string, masterKey: string): Promise<void> {
  const settings = settingsIn(place)
  if (settings === undefined) return
  if (settings.apiKey !== undefined && (await isAccepted({ url, apiKey: settings.apiKey }))) return
  const made = await sendJson(
    { url, apiKey: masterKey },
    {
      method: 'POST',
      path: '/api/v1/keys',
      body: { user_id: settings.user, name: 'agents' },
      timeoutMs: 30_000,
    },
  )
  if (typeof made.key !== 'string') throw new RefusedError(201)
  saveSettings(place, { ...settings, apiKey: made.key })
}

function saveSettings(place: Place, settings: AgentSettings): void {
  writeAtomically(place.settings, `${JSON.stringify(settings, undefined, 2)}\n`, 0o600)
}
