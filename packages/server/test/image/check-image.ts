/** Checks a running container of the image. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { execForm } from './dockerfile.js'
import { firstProcess, type Sandbox } from './sandbox.js'

export interface Image {
  readonly sandbox: Sandbox
  readonly workdir: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly entry: string
  readonly health: string
}

const readyTimeoutMs = 120_000

export async function checkImage(image: Image, masterKey: string): Promise<void> {
  const { sandbox, workdir, user } = image
  const port = await freePort()
  const environment = { ...image.environment, SERVICE_PORT: String(port), SERVICE_MASTER_KEY: masterKey }
  const how = { directory: workdir, environment, user }
  const entry = execForm(image.entry) ?? []
  const health = execForm(image.health) ?? []
  const step = (what: string) => console.log(`ok: ${what}`)

  const [size] = sandbox.run(['du', '-sm', workdir], { ...how, user: '0:0' }).output.split('\t')
  console.log(`${size} MB below ${workdir}`)
  const keyless = sandbox.run(entry, { ...how, environment: { ...environment, SERVICE_MASTER_KEY: '' } })
  assert.equal(keyless.status, 1, keyless.output)
  assert.match(keyless.output, /SERVICE_MASTER_KEY/)
  step('without a master key it does not start, and says so')

  const child = sandbox.start(entry, how)
  const said = collect(child)
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`, child, said)
    step(`ready as ${user}, process 1, the root read-only`)
    assert.notEqual(sandbox.run(['touch', `${workdir}/x`], how).status, 0)
    assert.notEqual(sandbox.run(['touch', '/x'], { ...how, user: '0:0' }).status, 0)
    step('nobody writes outside of the volume')
    assert.deepEqual(sandbox.run(health, how), { status: 0, output: '' })
    step('the health check finds it well')
    await storeAndRecall(`http://127.0.0.1:${port}/api/v1`, masterKey)
    step('a key, a store and a recall')
    const page = await fetch(`http://127.0.0.1:${port}/dashboard`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /assets\/index-/)
    step('the dashboard is there')
    const backup = sandbox.run(['keepsake', 'backup', '/data/backup.db'], how)
    assert.equal(backup.status, 0, backup.output)
    step(`keepsake backup: ${backup.output.trim()}`)
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    process.kill(firstProcess(child), 'SIGTERM')
    assert.equal(await ended, 0, said())
    step('SIGTERM ends it with 0')
    assert.equal(sandbox.run(health, how).status, 1)
    step('the health check finds it gone')
  } finally {
    // Not `unshare`, whose child would keep running.
    if (child.exitCode === null) process.kill(firstProcess(child), 'SIGKILL')
  }
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
    })
  }
  return () => text
}

async function untilReady(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await wait(200)
  }
  throw new Error(`not ready: ${said()}`)
}

async function storeAndRecall(base: string, masterKey: string): Promise<void> {
  const post = async (path: string, key: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`)
    return text
  }
  const made: { readonly key: string } = JSON.parse(await post('/keys', masterKey, { user_id: 'ana', name: 'test' }))
  await post('/store', made.key, { content: 'I love hiking in the mountains.' })
  const found = await post('/recall', made.key, { query: 'Which outdoor activity do I enjoy?', enable_rerank: true })
  assert.match(found, /hiking in the mountains/)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('listening without an address')
  return address.port
}
