import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPortableReader, openPortableWriter, type PortableRecord } from '@keepsake/server/portable'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fillStore, recordsOf, testIo } from '../archive/records.fixture.js'
import { main } from '../main.js'
import { type ArchiveSource, importArchive } from './archive.js'
import { importArchiveFrom } from './archive-door.js'

const contents = ['I like tea', 'line one\nline two \u2028 "end" 😀', 'x'.repeat(70_000)]
const records = [...recordsOf('alice', contents), ...recordsOf('bob', ['Bob’s secret'])]

let directory = ''
let archive = ''
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-archive-'))
  archive = join(directory, 'archive.jsonl')
  await fillStore(join(directory, 'source'), records)
})
afterEach(() => rmSync(directory, { recursive: true }))

const place = (name: string) => join(directory, name)

async function keepsake(...words: string[]) {
  const { io, written } = testIo()
  return { code: await main(words, io), ...written }
}

const exported = (...words: string[]) => keepsake('export', '--data-dir', place('source'), ...words)
const into = (name: string) => ({ target: { dataDir: place(name) } })
const body = (text: string) => text.slice(text.indexOf('\n') + 1)

async function storedIn(name: string): Promise<PortableRecord[]> {
  const reader = await openPortableReader({ dataDir: place(name) })
  const found: PortableRecord[] = []
  for await (const record of reader.read({ vectors: true, keys: true })) found.push(record)
  await reader.close()
  return found
}

describe('an archive', () => {
  it('is exported again byte for byte after import into an empty store, except for the header', async () => {
    expect(await exported('--vectors', archive)).toMatchObject({ code: 0 })
    const report = await importArchive({ path: archive, ...into('copy') })
    expect(report).toEqual({
      users: 2,
      counts: { user: 2, memory: 4, version: 4 },
      resumedAfter: 0,
      mismatches: 0,
      withoutVectors: false,
      dryRun: false,
      redacted: [],
    })
    expect(await storedIn('copy')).toEqual(records)
    const again = place('again.jsonl')
    await keepsake('export', '--vectors', '--data-dir', place('copy'), again)
    expect(body(readFileSync(again, 'utf8'))).toBe(body(readFileSync(archive, 'utf8')))
  })

  it('can be imported from a stream', async () => {
    await exported('--vectors', archive)
    const bytes = readFileSync(archive)
    const pieces = (async function* () {
      for (let from = 0; from < bytes.length; from += 1_000) yield bytes.subarray(from, from + 1_000)
    })()
    await importArchive({ stream: pieces, ...into('copy') })
    expect(await storedIn('copy')).toEqual(records)
  })

  it('reports that vectors are missing if it has none', async () => {
    await exported(archive)
    expect(await importArchive({ path: archive, ...into('copy') })).toMatchObject({ withoutVectors: true })
    expect((await storedIn('copy')).filter((record) => record.record === 'version')).toMatchObject(
      [...contents, 'Bob’s secret'].map((content) => ({ content, embedding: null })),
    )
  })

  it('is checked in a dry run, and nothing is written', async () => {
    await exported(archive)
    const report = await importArchive({ path: archive, ...into('new'), dryRun: true })
    expect(report).toMatchObject({ users: 2, dryRun: true })
    expect(existsSync(place('new'))).toBe(false)
    await expect(importArchive({ path: archive, ...into('source'), dryRun: true })).rejects.toThrow(
      'the store already has the user "alice" and 1 more of the archive',
    )
  })

  it('is refused if the store already has one of its users, and leaves them unchanged', async () => {
    await exported(archive)
    const before = await storedIn('source')
    await expect(importArchive({ path: archive, ...into('source') })).rejects.toThrow(
      'the store already has the user "alice"',
    )
    expect(await storedIn('source')).toEqual(before)
  })

  it('continues where an interrupted import stopped', async () => {
    await exported('--vectors', archive)
    const sha256 = JSON.parse(readFileSync(archive, 'utf8').trimEnd().split('\n').at(-1) ?? '{}').sha256
    const writer = await openPortableWriter({ dataDir: place('copy') })
    await writer.begin(sha256)
    await writer.write(records.slice(0, 5))
    await writer.close()
    await expect(importArchive({ path: archive, ...into('copy'), resume: false })).rejects.toThrow('partly imported')
    expect(await importArchive({ path: archive, ...into('copy') })).toMatchObject({ resumedAfter: 5 })
    expect(await storedIn('copy')).toEqual(records)
  })

  it('stops on abort, and a second import completes it', async () => {
    await exported('--vectors', archive)
    const stop = new AbortController()
    const progress = ({ label }: { label: string }) => ({
      advance: () => label === 'importing' && stop.abort(),
      end: () => undefined,
    })
    await expect(importArchive({ path: archive, ...into('copy'), progress, signal: stop.signal })).rejects.toThrow(
      /abort/i,
    )
    await importArchive({ path: archive, ...into('copy') })
    expect(await storedIn('copy')).toEqual(records)
  })

  it('replaces secrets, refuses them, or keeps them', async () => {
    const password = 's3cret-77'
    await fillStore(place('old'), recordsOf('dora', ['I like tea', `The shop uses postgres://app:${password}@db/shop`]))
    const { code } = await keepsake('export', '--data-dir', place('old'), '--vectors', archive)
    expect(code).toBe(0)
    const report = await importArchive({ path: archive, ...into('redacted') })
    expect(report.redacted).toEqual([{ kind: 'database password', count: 1 }])
    const copy = await storedIn('redacted')
    expect(JSON.stringify(copy)).not.toContain(password)
    expect(copy.filter((record) => record.record === 'version')).toMatchObject([
      { content: 'I like tea', embedding: { model: 'model' } },
      { content: 'The shop uses postgres://app:[redacted: database password]@db/shop', embedding: null },
    ])
    const refused = importArchive({ path: archive, ...into('refused'), secrets: 'refuse' })
    await expect(refused).rejects.toThrow('the archive contains secrets: database password (1)')
    expect(existsSync(place('refused'))).toBe(false)
    expect((await importArchive({ path: archive, ...into('kept'), secrets: 'keep' })).redacted).toEqual([])
    expect(JSON.stringify(await storedIn('kept'))).toContain(password)
  })

  it('keeps content that does not match its checksum unchanged, and reports it', async () => {
    const changed = recordsOf('carol', ['as it was']).map((record) =>
      record.record === 'version' ? { ...record, content: 'as it is now' } : record,
    )
    await fillStore(place('damaged'), changed)
    const { code, stdout, stderr } = await keepsake('export', '--data-dir', place('damaged'), archive)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'version 1 of mem_carol_0: its content does not match its checksum\n',
    })
    expect(stdout).toContain('the content of 1 versions does not match its checksum')
    expect(await importArchive({ path: archive, ...into('copy') })).toMatchObject({ mismatches: 1 })
  })

  describe('that was tampered with', () => {
    let lines: string[] = []
    beforeEach(async () => {
      await exported(archive)
      lines = readFileSync(archive, 'utf8').trimEnd().split('\n')
    })
    const attempt = async (changed: readonly string[]) => {
      writeFileSync(archive, changed.map((line) => `${line}\n`).join(''))
      const outcome = await importArchive({ path: archive, ...into('copy') }).then(
        () => 'imported',
        (error: Error) => error.message,
      )
      expect(existsSync(place('copy'))).toBe(false)
      return outcome
    }
    const swap = (index: number, from: string, to: string) => {
      expect(lines[index]).toContain(from)
      return lines.map((line, at) => (at === index ? line.replace(from, to) : line))
    }

    it('is refused, naming the changed line', async () => {
      expect(await attempt(swap(3, 'I like tea', 'I hate tea'))).toMatch(/^line 4: its sum does not match/)
      expect(await attempt(swap(3, '"trust_score":1', '"trust_score":0.9'))).toMatch(/^line 4: its sum/)
      expect(await attempt(swap(1, '"numbers":4', '"numbers": 4'))).toMatch(/^line 2: its sum/)
    })

    it('is refused, naming the first line after a removed, added or moved one', async () => {
      expect(await attempt(lines.toSpliced(2, 1))).toMatch(/^line 3: its sum/)
      expect(await attempt(lines.toSpliced(4, 0, lines[3] ?? ''))).toMatch(/^line 5: its sum/)
      expect(await attempt(lines.toSpliced(2, 2, lines[3] ?? '', lines[2] ?? ''))).toMatch(/^line 3: its sum/)
      expect(await attempt(lines.toSpliced(-2, 1))).toMatch(/hash does not match the lines before it/)
    })

    it('is refused if it was cut off, in the middle of a line or after one', async () => {
      const cut = lines.slice(0, 4)
      expect(await attempt(cut)).toBe('line 4: the archive ends here without its end record: it was cut off')
      expect(await attempt([...cut, (lines[4] ?? '').slice(0, 30)])).toBe('line 5: the line is cut off')
      expect(await attempt([])).toBe('line 1: the file is empty')
      expect(await attempt([...lines, ''])).toMatch(/^line 13: there is data after the end/)
      expect(await attempt(swap(11, '"memory":4', '"memory":5'))).toBe('line 12: the counts do not match the archive')
    })

    it('is refused if it is not an archive, or of another version', async () => {
      expect(await attempt(['{"a":1}'])).toBe('line 1: this is not a Keepsake archive')
      expect(await attempt(['no JSON'])).toBe('line 1: the line is not JSON')
      expect(await attempt(swap(0, '"keepsake_archive":1', '"keepsake_archive":2'))).toBe(
        'line 1: the archive has version 2, but this release supports only 1',
      )
      writeFileSync(archive, Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0xff, 0x0a])]))
      await expect(importArchive({ path: archive, ...into('copy') })).rejects.toThrow('line 2: the line is not UTF-8')
    })
  })
})

describe('keepsake import', () => {
  it('detects an archive by its content, and imports it into the named store', async () => {
    await exported('--vectors', archive)
    const dry = await keepsake('import', '--dry-run', '--data-dir', place('copy'), archive)
    expect(dry).toMatchObject({ code: 0, stdout: 'would import 2 users, 4 memories, 4 versions\n' })
    expect(existsSync(place('copy'))).toBe(false)
    const done = await keepsake('import', '--data-dir', place('copy'), archive)
    expect(done).toMatchObject({ code: 0, stdout: 'imported 2 users, 4 memories, 4 versions\n', stderr: '' })
    expect(await storedIn('copy')).toEqual(records)
    expect(await keepsake('import', '--user', 'carol', '--data-dir', place('other'), archive)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('names its users and projects itself'),
    })
  })
})

describe('keepsake export', () => {
  it('writes one user to standard output, and the summary to standard error', async () => {
    const { code, stdout, stderr } = await exported('--user', 'bob', '--json')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ keepsake_archive: 1, user: 'bob', vectors: false, keys: false })
    expect(stdout).not.toMatch(/alice|tea/)
    const end = JSON.parse(lines.at(-1) ?? '')
    expect(JSON.parse(stderr)).toEqual({
      file: '-',
      counts: { user: 1, memory: 1, version: 1 },
      mismatches: 0,
      sha256: end.sha256,
    })
  })

  it('never overwrites a file, and exits with code 2 and the reason for invalid arguments', async () => {
    writeFileSync(archive, 'mine')
    expect(await exported(archive)).toMatchObject({ code: 2, stderr: expect.stringContaining('never overwritten') })
    expect(readFileSync(archive, 'utf8')).toBe('mine')
    for (const [words, complaint] of [
      [['--user', 'nobody'], 'the store has no user "nobody"'],
      [['--database-url', 'postgres://x/y'], 'name different stores'],
      [['a', 'b'], 'name one file'],
      [['--wrong'], 'Unknown option'],
    ] as const) {
      expect(await exported(...words)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(complaint),
      })
    }
    expect(await keepsake('export', '--data-dir', place('nowhere'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist'),
    })
    expect(await keepsake('export', '--database-url', 'mysql://x/y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a postgres:// URL'),
    })
  })
})

describe('importing an archive', () => {
  const door = async (source: ArchiveSource, values: object) => {
    const { io, written } = testIo()
    return { code: await importArchiveFrom(source, { 'data-dir': place('copy'), ...values }, io), ...written }
  }

  it('imports a file or a stream, and reports the counts', async () => {
    await exported(archive)
    expect(await door({ path: archive }, { 'dry-run': true })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('would import 2 users, 4 memories, 4 versions\nthe archive has no vectors'),
    })
    const stream = (async function* () {
      yield readFileSync(archive)
    })()
    const { code, stdout } = await door({ stream }, { json: true })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      dry_run: false,
      counts: { user: 2, memory: 4, version: 4 },
      resumed_after: 0,
      mismatches: 0,
      without_vectors: true,
      redacted: [],
    })
    await expect(door({ path: archive }, {})).rejects.toThrow('the store already has the user "alice"')
  })
})
