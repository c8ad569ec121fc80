import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyAuditLines } from './audit-chain.js'
import { AuditLogError } from './audit-file.js'
import type { AuditEvent } from './audit-log.js'
import { openAuditLog } from './open-audit-log.js'

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) }
const actor = { ip: '10.1.2.3', requestId: 'req-1' }
let directory = ''
let file = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-audit-'))
  file = join(directory, 'audit.log')
})
afterEach(() => rmSync(directory, { recursive: true }))

const lines = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n')
const events = (): string[] => lines().map((line) => JSON.parse(line).event)
const stored = (id: string): AuditEvent => ({ event: 'memory.store', user_id: 'ann', key_id: null, memory_id: id })

async function append(...ids: string[]): Promise<void> {
  const log = await openAuditLog({ file, clock })
  for (const id of ids) log.record(actor, stored(id), 'success')
  await log.close()
}

describe('a line', () => {
  it.each<AuditEvent>([
    { event: 'memory.store', user_id: 'ann', key_id: 'key_1', memory_id: 'mem_1' },
    { event: 'memory.recall', user_id: 'ann', key_id: null, query_hash: 'ab12' },
    { event: 'memory.update', user_id: 'ann', key_id: 'key_1', memory_id: 'mem_1' },
    { event: 'memory.forget', user_id: null, key_id: 'key_1', memory_ids: ['mem_1', 'mem_2'] },
    { event: 'memory.purge', user_id: null, key_id: null, memory_ids: [] },
    { event: 'key.created', key_id: 'key_1', user_id: 'ann', access: 'read', one_project: true, expires_at: null },
    { event: 'key.revoked', key_id: 'key_1' },
    { event: 'auth.failed', key_id: 'key_1' },
    { event: 'auth.denied', user_id: 'ann', key_id: 'key_1', operation: 'storeMemories' },
  ])('records for $event who, from where, in which request and with which outcome', async (event) => {
    const written: string[] = []
    const log = await openAuditLog({ clock, write: (line) => written.push(line) })
    log.record(actor, event, 'failed')
    await log.close()
    expect(written).toHaveLength(1)
    const { prev_hash, hash, ...entry } = JSON.parse(written[0] ?? '')
    const expected = {
      time: '2026-01-02T03:04:05.006Z',
      ...event,
      ip: '10.1.2.3',
      request_id: 'req-1',
      outcome: 'failed',
    }
    expect(entry).toEqual(expected)
    expect([prev_hash, hash].every((each) => /^[0-9a-f]{64}$/.test(each))).toBe(true)
  })

  it('stays one line whatever a client sends as its names', async () => {
    const written: string[] = []
    const log = await openAuditLog({ clock, write: (line) => written.push(line) })
    const hostile = 'x"},\n{"event":"forged"\u2028\ud800\u0000é'
    log.record({ ip: hostile, requestId: hostile }, stored(hostile), 'success')
    expect(written[0]).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ event: 'memory.store', ip: hostile, memory_id: hostile })
  })

  it('goes to standard output if no file is set', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((_chunk, ...rest: unknown[]) => {
      const done = rest.find((each) => typeof each === 'function')
      if (typeof done === 'function') done()
      return true
    })
    try {
      const log = await openAuditLog({ clock })
      log.record(actor, stored('mem_1'), 'success')
      await log.close()
      const [text] = write.mock.calls.map(([chunk]) => String(chunk))
      expect(text?.endsWith('\n')).toBe(true)
      expect(verifyAuditLines([text?.trimEnd() ?? ''])).toMatchObject({ ok: true, lines: 1 })
    } finally {
      write.mockRestore()
    }
  })
})

describe('a file', () => {
  it('is readable only by its owner, and has all lines in order when the log is closed', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `mem_${index}`)
    await append(...ids)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(lines().map((line) => JSON.parse(line).memory_id)).toEqual(ids)
    expect(verifyAuditLines(lines())).toMatchObject({ ok: true, lines: 500 })
  })

  it('is continued by the next start, even after a line longer than any buffer', async () => {
    await append('mem_1')
    await append('x'.repeat(300_000))
    await append('mem_2', 'mem_3')
    expect(events()).toEqual(Array.from({ length: 4 }, () => 'memory.store'))
    expect(verifyAuditLines(lines())).toMatchObject({ ok: true, lines: 4 })
  })

  it('is continued without audit.resumed if only the last line feed is missing', async () => {
    await append('mem_1', 'mem_2')
    truncateSync(file, statSync(file).size - 1)
    await append('mem_3')
    expect(events()).toEqual(['memory.store', 'memory.store', 'memory.store'])
    expect(verifyAuditLines(lines())).toMatchObject({ ok: true, lines: 3 })
  })

  it('is continued after a crash at any byte, on a new line that says so, and verifies', async () => {
    await append('mem_1')
    const whole = statSync(file).size
    await append('mem_2')
    const full = readFileSync(file)
    for (let size = 1; size < full.length - 1; size += 7) {
      if (size === whole || size === whole - 1) continue
      writeFileSync(file, full.subarray(0, size))
      await append('mem_3')
      const resumedBehind = size < whole ? 1 : 2
      expect(JSON.parse(lines()[resumedBehind] ?? '')).toMatchObject({ event: 'audit.resumed', torn_lines: 1 })
      expect(verifyAuditLines(lines())).toMatchObject({ ok: true, lines: resumedBehind + 2 })
    }
  })

  it('is continued after two crashes in a row', async () => {
    await append('mem_1')
    appendFileSync(file, '{"time":"2026')
    await append('mem_2')
    const [first = '', torn = '', resumed = ''] = lines()
    writeFileSync(file, `${first}\n${torn}\n${resumed.slice(0, 50)}`)
    await append('mem_3')
    expect(JSON.parse(lines()[3] ?? '')).toMatchObject({ event: 'audit.resumed', torn_lines: 2 })
    expect(verifyAuditLines(lines())).toMatchObject({ ok: true, lines: 5 })
  })

  it('shows an edit that was made while the service was down', async () => {
    await append('mem_1', 'mem_2', 'mem_3')
    writeFileSync(file, readFileSync(file, 'utf8').replace('mem_2', 'mem_9'))
    await append('mem_4')
    expect(verifyAuditLines(lines())).toMatchObject({ ok: false, line: 2 })
  })
})

describe('an unusable file stops the start with one clear line', () => {
  const refusal = async (path: string): Promise<string> => {
    const error = await openAuditLog({ file: path, clock }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AuditLogError)
    expect(String(error)).toContain(path)
    return String(error)
  }

  it('if its directory is missing or is a file', async () => {
    expect(await refusal(join(directory, 'none', 'audit.log'))).toContain(`${join(directory, 'none')} does not exist`)
    writeFileSync(file, '')
    expect(await refusal(join(file, 'audit.log'))).toContain('does not exist')
  })

  it('if it is not a regular file', async () => {
    mkdirSync(file)
    expect(await refusal(file)).toContain('not a regular file')
    expect(await refusal('/dev/null')).toContain('not a regular file')
  })

  it('if it is not an audit log, and leaves it unchanged', async () => {
    for (const content of ['SQLite format 3\u0000', '{"level":30,"time":1}\n', '\n']) {
      writeFileSync(file, content)
      expect(await refusal(file)).toContain('the file is not an audit log')
      expect(readFileSync(file, 'utf8')).toBe(content)
    }
  })

  it.skipIf(process.getuid?.() === 0)('if it is not writable', async () => {
    writeFileSync(file, '')
    chmodSync(file, 0o400)
    expect(await refusal(file)).toContain('may not write')
  })
})

describe('a log that cannot be written', () => {
  it('never fails the caller, counts and reports errors, and later records how many lines are missing', async () => {
    const written: string[] = []
    let fails = false
    const onError = vi.fn()
    const write = (line: string): void => {
      if (fails) throw new Error('EPIPE')
      written.push(line)
    }
    const log = await openAuditLog({ clock, write, onError })
    log.record(actor, stored('mem_1'), 'success')
    fails = true
    log.record(actor, stored('mem_2'), 'success')
    log.record(actor, stored('mem_3'), 'success')
    expect(log.writeErrors()).toBe(2)
    expect(onError).toHaveBeenCalledTimes(2)
    fails = false
    log.record(actor, stored('mem_4'), 'success')
    await log.close()
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { memory_id: 'mem_1' },
      { event: 'audit.lost', lines: 2 },
      { memory_id: 'mem_4' },
    ])
    expect(verifyAuditLines(written)).toMatchObject({ ok: true, lines: 3 })
  })

  it('accepts nothing after it is closed, and does not throw', async () => {
    const log = await openAuditLog({ file, clock })
    log.record(actor, stored('mem_1'), 'success')
    await log.close()
    log.record(actor, stored('mem_2'), 'success')
    expect(events()).toEqual(['memory.store'])
    expect(log.writeErrors()).toBe(0)
  })
})
