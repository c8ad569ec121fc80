import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuditEvent } from './audit-log.js'
import { openAuditLog } from './open-audit-log.js'
import { verifyAuditLog } from './verify-audit-log.js'

let now = Date.UTC(2026, 0, 2)
const clock = { now: () => now++ }
const actor = { ip: '10.1.2.3', requestId: 'req-1' }
let directory = ''
let file = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-audit-'))
  file = join(directory, 'audit.log')
})
afterEach(() => rmSync(directory, { recursive: true }))

const stored = (id: string): AuditEvent => ({ event: 'memory.store', user_id: 'ann', key_id: null, memory_id: id })
const open = (options = {}) => openAuditLog({ file, clock, ...options })

/** Writes one line per id, then closes the log. */
async function append(...ids: string[]): Promise<void> {
  const log = await open()
  for (const id of ids) log.record(actor, stored(id), 'success')
  await log.close()
}

const entriesOf = (paths: readonly string[]): Record<string, unknown>[] =>
  paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('"}'))
      .map((line) => JSON.parse(line)),
  )
const idsIn = (...paths: string[]) => entriesOf(paths).flatMap(({ memory_id: id }) => (id === undefined ? [] : [id]))
const firstEvent = (path: string) => entriesOf([path])[0]?.event

async function verdict(...paths: string[]) {
  const sources = paths.map((path) => ({
    name: path,
    bytes: (async function* () {
      yield readFileSync(path)
    })(),
  }))
  return verifyAuditLog(sources)
}

/** Rotated files in the order of their names, then the current file, as a shell expands `audit.log.* audit.log`. */
const filesInOrder = () => [
  ...readdirSync(directory)
    .filter((name) => name.startsWith('audit.log.'))
    .sort()
    .map((name) => join(directory, name)),
  file,
]

describe('a renamed file', () => {
  it('keeps the lines recorded before the reopening, and a new file gets the later ones, in one chain', async () => {
    const log = await open()
    const ids = Array.from({ length: 60 }, (_, index) => `mem_${index}`)
    for (const id of ids.slice(0, 20)) log.record(actor, stored(id), 'success')
    renameSync(file, `${file}.1`)
    for (const id of ids.slice(20, 40)) log.record(actor, stored(id), 'success')
    await log.reopen()
    for (const id of ids.slice(40)) log.record(actor, stored(id), 'success')
    await log.close()
    expect(idsIn(`${file}.1`)).toEqual(ids.slice(0, 40))
    expect(idsIn(file)).toEqual(ids.slice(40))
    expect(firstEvent(file)).toBe('audit.rotated')
    expect(await verdict(`${file}.1`, file)).toMatchObject({ ok: true, files: 2, lines: 61 })
    expect(await verdict(file)).toMatchObject({ ok: false, file, line: 1 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(log.writeErrors()).toBe(0)
  })

  it('stays in use if it was not renamed: reopening changes nothing', async () => {
    const log = await open()
    log.record(actor, stored('mem_1'), 'success')
    await log.reopen()
    log.record(actor, stored('mem_2'), 'success')
    await log.close()
    expect(entriesOf([file])).toHaveLength(2)
    expect(readdirSync(directory)).toEqual(['audit.log'])
  })

  it.each([
    ['a directory', () => mkdirSync(file)],
    ['a file with content', () => writeFileSync(file, 'notes')],
  ])('stays in use if %s took its place, and reports it', async (_what, obstruct) => {
    const onError = vi.fn()
    const log = await open({ onError })
    log.record(actor, stored('mem_1'), 'success')
    renameSync(file, `${file}.1`)
    obstruct()
    await log.reopen()
    log.record(actor, stored('mem_2'), 'success')
    await log.close()
    expect(onError).toHaveBeenCalledTimes(1)
    expect(idsIn(`${file}.1`)).toEqual(['mem_1', 'mem_2'])
    expect(await verdict(`${file}.1`)).toMatchObject({ ok: true })
  })

  it('loses and repeats nothing when two signals arrive at once', async () => {
    const log = await open()
    log.record(actor, stored('mem_1'), 'success')
    renameSync(file, `${file}.1`)
    await Promise.all([log.reopen(), log.reopen()])
    log.record(actor, stored('mem_2'), 'success')
    await log.close()
    expect(log.writeErrors()).toBe(0)
    expect([idsIn(`${file}.1`), idsIn(file)]).toEqual([['mem_1'], ['mem_2']])
    expect(await verdict(`${file}.1`, file)).toMatchObject({ ok: true })
  })
})

describe('a file with a limit', () => {
  it('is renamed when it is full; names sort in the order of the chain, and nothing is deleted', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `mem_${index}`)
    const log = await open({ maxFileBytes: 3000 })
    for (const id of ids) log.record(actor, stored(id), 'success')
    await log.close()
    const files = filesInOrder()
    expect(files.length).toBeGreaterThan(5)
    for (const path of files) {
      expect(statSync(path).size).toBeLessThan(3500)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    expect(idsIn(...files)).toEqual(ids)
    expect(await verdict(...files)).toMatchObject({ ok: true, files: files.length, lines: 100 + files.length - 1 })
  })

  it('counts the bytes of earlier runs', async () => {
    await append(...Array.from({ length: 20 }, (_, index) => `mem_${index}`))
    const log = await open({ maxFileBytes: 3000 })
    log.record(actor, stored('mem_last'), 'success')
    await log.close()
    expect(idsIn(file)).toEqual(['mem_last'])
    expect(await verdict(...filesInOrder())).toMatchObject({ ok: true, lines: 22 })
  })

  it('does not overwrite a file that was rotated in the same second', async () => {
    const log = await openAuditLog({ file, clock: { now: () => 0 }, maxFileBytes: 1000 })
    for (let index = 0; index < 20; index += 1) log.record(actor, stored(`mem_${index}`), 'success')
    await log.close()
    expect(idsIn(...filesInOrder())).toHaveLength(20)
    expect(await verdict(...filesInOrder())).toMatchObject({ ok: true })
  })
})

describe('a start after a rotation', () => {
  const half = '{"time":"2026-01-02T'

  it('continues the chain of the new file', async () => {
    const log = await open()
    log.record(actor, stored('mem_1'), 'success')
    renameSync(file, `${file}.1`)
    await log.reopen()
    await log.close()
    await append('mem_2')
    expect(await verdict(`${file}.1`, file)).toMatchObject({ ok: true, lines: 3 })
  })

  it('is not intact once a file of it was emptied', async () => {
    await append('mem_1', 'mem_2')
    const kept = readFileSync(file)
    truncateSync(file)
    expect(await verdict(file)).toMatchObject({ ok: false, file, line: null, reason: expect.stringContaining('empty') })
    writeFileSync(`${file}.1`, kept)
    expect(await verdict(`${file}.1`, file)).toMatchObject({ ok: false, file })
    expect(await verdict(file, `${file}.1`)).toMatchObject({ ok: false, file })
    expect(await verdict(`${file}.1`)).toMatchObject({ ok: true, lines: 2 })
  })

  it.each([
    ['gone', () => undefined, ''],
    ['empty', () => writeFileSync(file, ''), ''],
    ['cut in its first line', () => writeFileSync(file, half), ''],
    ['gone, and the renamed one cut at its end', () => undefined, half],
    ['cut, as is the renamed one', () => writeFileSync(file, half), `${half}\n${half}`],
  ])('continues the renamed file if the rotation was interrupted and the new file is %s', async (_what, leave, cut) => {
    await append('mem_1', 'mem_2')
    renameSync(file, `${file}-20260102`)
    appendFileSync(`${file}-20260102`, cut)
    leave()
    await append('mem_3')
    const checked = await verdict(`${file}-20260102`, file)
    expect(checked).toMatchObject({ ok: true })
    expect(idsIn(`${file}-20260102`, file)).toEqual(['mem_1', 'mem_2', 'mem_3'])
    await append('mem_4')
    expect(await verdict(`${file}-20260102`, file)).toMatchObject({ ok: true })
  })

  it('continues the newest renamed audit log, and ignores compressed and other files', async () => {
    await append('mem_1')
    renameSync(file, `${file}.1`)
    await append('mem_2')
    renameSync(file, `${file}.2`)
    utimesSync(`${file}.1`, 1000, 1000)
    writeFileSync(`${file}.3.gz`, gzipSync(readFileSync(`${file}.1`)))
    writeFileSync(`${file}.notes`, 'notes')
    mkdirSync(`${file}.old`)
    await append('mem_3')
    expect(await verdict(`${file}.1`, `${file}.2`, file)).toMatchObject({ ok: true, lines: 5 })
  })

  it('begins a new chain if there is no other file', async () => {
    writeFileSync(join(directory, 'audit.log.notes'), 'notes')
    await append('mem_1')
    expect(await verdict(file)).toMatchObject({ ok: true, lines: 1 })
  })
})

it('keeps the chain intact through any sequence of writes, rotations and restarts', async () => {
  const step = fc.constantFrom('record', 'record', 'rename', 'restart', 'cut')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      for (const name of readdirSync(directory)) rmSync(join(directory, name))
      let log = await open({ maxFileBytes: 1500 })
      const ids: string[] = []
      for (const each of steps) {
        if (each === 'record') {
          ids.push(`mem_${ids.length}`)
          log.record(actor, stored(ids.at(-1) ?? ''), 'success')
        } else if (each === 'rename') {
          // The same names as the service gives, so that they sort.
          if (existsSync(file)) renameSync(file, `${file}.${new Date(clock.now()).toISOString().replace(/[-:]/g, '')}`)
          await log.reopen()
        } else {
          await log.close()
          if (each === 'cut') appendFileSync(file, '{"time":"20')
          log = await open({ maxFileBytes: 1500 })
        }
      }
      await log.close()
      expect(log.writeErrors()).toBe(0)
      expect(idsIn(...filesInOrder())).toEqual(ids)
      // A file in which nothing was written yet proves nothing.
      const written = filesInOrder().filter((path) => readFileSync(path).length > 0)
      if (written.length > 0) expect(await verdict(...written)).toMatchObject({ ok: true })
    }),
    { numRuns: 60 },
  )
})

describe('a file that was copied and truncated', () => {
  it('continues the same chain, and lines lost between copy and truncation are detected', async () => {
    const log = await open()
    const flushed = async (size: number) => vi.waitFor(() => expect(idsIn(file)).toHaveLength(size))
    log.record(actor, stored('mem_1'), 'success')
    await flushed(1)
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
    log.record(actor, stored('mem_2'), 'success')
    await flushed(1)
    expect(await verdict(`${file}.1`, file)).toMatchObject({ ok: true, lines: 2 })
    copyFileSync(file, `${file}.2`)
    log.record(actor, stored('mem_3'), 'success')
    await flushed(2)
    truncateSync(file)
    log.record(actor, stored('mem_4'), 'success')
    await log.close()
    expect(await verdict(`${file}.1`, `${file}.2`, file)).toMatchObject({ ok: false, file, line: 1 })
  })
})
