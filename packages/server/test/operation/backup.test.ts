/** `keepsake backup` during writes, and the restore from docs/deployment.md. */
import { spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checksumOf } from '../../src/core/memory.js'
import { killAll, post, type RunningService, runService } from '../support/running-service.js'

const program = fileURLToPath(new URL('../../../cli/keepsake.mjs', import.meta.url))

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keepsake-backup-'))
})
afterAll(async () => {
  await killAll()
  await rm(directory, { recursive: true })
})

interface Stored {
  readonly id: string
  readonly content: string
  readonly checksum: string
}

/** Stores sentences until told to stop, and records the acknowledged ones. */
function writer({ url }: RunningService, userId: string) {
  const acknowledged: Stored[] = []
  let isOver = false
  const done = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const content = `Box ${number} of ${userId} holds ${number * 7} marbles`
      const { status, body } = await post(`${url}/api/v1/store`, { user_id: userId, content })
      // Other tests check the shape of the response.
      const { memories } = body as { memories: Stored[] }
      expect(status).toBe(200)
      acknowledged.push(...memories)
    }
  })()
  return {
    acknowledged,
    stop: () => {
      isOver = true
      return done
    },
  }
}

async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

async function everything({ url }: RunningService, userId: string): Promise<Stored[]> {
  const all: Stored[] = []
  for (let page = 1; ; page += 1) {
    const answer = await fetch(`${url}/api/v1/memories?user_id=${userId}&limit=500&page=${page}`)
    // As above.
    const { memories } = (await answer.json()) as { memories: Stored[] }
    all.push(...memories)
    if (memories.length < 500) return all
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}

it('contains every write acknowledged before the backup, and a service serves it after the restore', async () => {
  const data = join(directory, 'data')
  await mkdir(data)
  const service = await runService({ SERVICE_DATA_DIR: data, SERVICE_RATE_LIMIT_ENABLED: 'false' })
  const writers = ['ana', 'bob', 'eve'].map((userId) => ({ userId, ...writer(service, userId) }))
  await until(() => writers.every(({ acknowledged }) => acknowledged.length >= 10))
  const before = writers.map(({ userId, acknowledged }) => ({ userId, ids: acknowledged.map(({ id }) => id) }))
  const target = join(directory, 'copy.db')
  const backup = await run(['backup', '--json', target], { SERVICE_DATA_DIR: data })
  const during = writers.map(({ acknowledged }) => acknowledged.length)
  await until(() => writers.every(({ acknowledged }, index) => acknowledged.length > (during[index] ?? 0)))
  await Promise.all(writers.map(({ stop }) => stop()))
  // Killed, because the content of the copy must not depend on a clean shutdown.
  service.process.kill('SIGKILL')
  await service.finished
  expect(backup.code, backup.output).toBe(0)
  const report: unknown = JSON.parse(backup.output)
  expect(report).toMatchObject({ file: target, users: 3, mismatches: 0 })

  const restored = join(directory, 'restored')
  await mkdir(restored, { mode: 0o700 })
  await copyFile(target, join(restored, 'keepsake.db'))
  const again = await runService({ SERVICE_DATA_DIR: restored, SERVICE_RATE_LIMIT_ENABLED: 'false' })
  let total = 0
  for (const { userId, ids } of before) {
    const found = await everything(again, userId)
    total += found.length
    const written = new Map(writers.flatMap(({ acknowledged }) => acknowledged).map((item) => [item.id, item]))
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    for (const { id, content, checksum } of found) {
      expect(checksum).toBe(checksumOf(content))
      // A write that was in flight when the service was killed was never acknowledged.
      if (written.has(id)) expect(content).toBe(written.get(id)?.content)
    }
  }
  expect(report).toMatchObject({ memories: total })
  const { body } = await post(`${again.url}/api/v1/recall`, { user_id: 'ana', query: 'box 3 of ana', limit: 3 })
  expect(body).toMatchObject({ context: expect.stringContaining('Box 3 of ana holds 21 marbles') })
  again.process.kill('SIGTERM')
  expect((await again.finished).code).toBe(0)
})

it('exits with code 2 and one line if the source or the target does not exist', async () => {
  const empty = join(directory, 'empty')
  await mkdir(empty)
  for (const [words, mention] of [
    [['backup', 'x.db'], 'does not exist'],
    [['backup'], 'name one file'],
    [['backup', 'x.db', 'y.db'], 'name one file'],
    [['backup', '--data-dir', join(directory, 'data'), join(directory, 'nowhere', 'x.db')], 'nowhere'],
  ] as const) {
    const { code, output } = await run(words, { SERVICE_DATA_DIR: empty })
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^keepsake backup: [^\n]+\n$/) })
    expect(output).toContain(mention)
  }
  const misconfigured = await run(['backup', 'x.db'], { SERVICE_PORT: 'x' })
  expect(misconfigured).toMatchObject({ code: 2, output: expect.stringContaining('SERVICE_PORT') })
  expect(await readdir(directory)).not.toContain('x.db')
})
