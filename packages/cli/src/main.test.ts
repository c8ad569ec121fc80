import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from './main.js'

const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex')
const zeros = '0'.repeat(64)

/** Builds a log from the documented description of the hash chain, without the code under test. */
function logOf(count: number, follows = zeros): string[] {
  let before = follows
  return Array.from({ length: count }, (_, index) => {
    const body = `{"time":"2026-01-02T03:04:05.006Z","event":"memory.store","memory_id":"mem_${index}","prev_hash":"${before}"}`
    before = sha256(body)
    return `${body.slice(0, -1)},"hash":"${before}"}`
  })
}
const hashOf = (line: string | undefined): string => JSON.parse(line ?? '{}').hash
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-cli-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
function fileWith(content: string | Buffer): string {
  files += 1
  const path = join(directory, `audit-${files}.log`)
  writeFileSync(path, content)
  return path
}

async function keepsake(args: readonly string[], input = '') {
  let [output, errors] = ['', '']
  const stdin = (async function* () {
    // In chunks, as from a pipe.
    for (let at = 0; at < input.length; at += 100) yield Buffer.from(input.slice(at, at + 100), 'latin1')
  })()
  const code = await main(args, {
    stdin,
    stdout: {
      write(more) {
        output += more
      },
    },
    stderr: {
      write(more) {
        errors += more
      },
    },
  })
  return { code, output, errors }
}
const verify = (...args: string[]) => keepsake(['audit', 'verify', ...args])

describe('keepsake audit verify', () => {
  const lines = logOf(9)

  it('does not call an empty file intact', async () => {
    const empty = fileWith('')
    const { code, output } = await verify(fileWith(text(lines)), empty)
    expect([code, output]).toEqual([1, expect.stringMatching(/^\S+: the file is empty/)])
    expect((await verify(empty)).output).toBe(`${output}`)
  })

  it('reports an untouched log as intact, with its length and last hash', async () => {
    const file = fileWith(text(lines))
    const { code, output, errors } = await verify(file)
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toBe(`${file}: intact, 9 lines, last hash ${hashOf(lines[8])}\n`)
    expect((await verify(fileWith(text(lines).trimEnd()))).code).toBe(0)
  })

  it.each([
    ['edited', () => lines.with(3, (lines[3] ?? '').replace('mem_3', 'mem_9')), 4],
    ['removed', () => lines.toSpliced(3, 1), 4],
    ['added', () => lines.toSpliced(3, 0, logOf(1)[0] ?? ''), 4],
    ['moved', () => [...lines.slice(0, 3), lines[4] ?? '', lines[3] ?? '', ...lines.slice(5)], 4],
    ['cut in the middle', () => lines.with(3, (lines[3] ?? '').slice(0, 40)), 4],
    ['removed at the beginning', () => lines.slice(2), 1],
    ['blank', () => lines.toSpliced(5, 0, ''), 6],
    ['not text', () => lines.with(8, '\u0000\u00ff'), 9],
  ])('names the first line that was %s', async (_what, change, line) => {
    const file = fileWith(Buffer.from(text(change()), 'latin1'))
    const { code, output } = await verify(file)
    expect(code).toBe(1)
    expect(output).toMatch(new RegExp(`^${file}:${line}: [^\\n]+\\n$`))
    const asJson = await verify('--json', file)
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.output)).toEqual({ ok: false, file, line, reason: expect.stringContaining(' ') })
  })

  it('checks the files of a rotated log as one chain, in order', async () => {
    const parts = [lines.slice(0, 3), lines.slice(3, 5), lines.slice(5)].map((part) => fileWith(text(part)))
    const [first = '', second = '', third = ''] = parts
    expect((await verify(first, second, third)).output).toContain('3 files: intact, 9 lines')
    expect(await verify(first, third)).toMatchObject({ code: 1, output: expect.stringContaining(`${third}:1: `) })
    expect(await verify(second, first)).toMatchObject({ code: 1, output: expect.stringContaining(`${second}:1: `) })
    expect((await verify('--after', hashOf(lines[2]), second, third)).code).toBe(0)
    expect((await verify('--after', hashOf(lines[1]), second, third)).code).toBe(1)
    expect(JSON.parse((await verify('--json', first, second)).output)).toEqual({
      ok: true,
      files: 2,
      lines: 5,
      last_hash: hashOf(lines[4]),
    })
  })

  it('accepts a last line cut off by a crash if the next file records it', async () => {
    const cut = (lines[2] ?? '').slice(0, 50)
    const body = `{"time":"t","event":"audit.resumed","torn_lines":1,"torn_sha256":"${sha256(cut)}","prev_hash":"${hashOf(lines[1])}"}`
    const resumed = `${body.slice(0, -1)},"hash":"${sha256(body)}"}`
    const before = fileWith(text(lines.slice(0, 2)) + cut)
    expect((await verify(before, fileWith(text([resumed])))).code).toBe(0)
    expect(await verify(before)).toMatchObject({ code: 1, output: expect.stringContaining(`${before}:3: `) })
  })

  it('detects lines cut off the end only if given a hash noted earlier', async () => {
    const short = fileWith(text(lines.slice(0, 7)))
    expect((await verify(short)).code).toBe(0)
    expect((await verify('--expect', hashOf(lines[5]), short)).code).toBe(0)
    const { code, output } = await verify('--expect', hashOf(lines[8]), short)
    expect(code).toBe(1)
    expect(output).toContain('cut off the end')
  })

  it('reads standard input for -', async () => {
    expect((await keepsake(['audit', 'verify', '-'], text(lines))).output).toContain('-: intact, 9 lines')
    expect((await keepsake(['audit', 'verify', '-'], text(lines.toSpliced(1, 1)))).output).toMatch(/^-:2: /)
  })

  it.each([
    [[], 'name a file'],
    [['/nowhere/audit.log'], '/nowhere/audit.log'],
    [['-', '-'], 'once'],
    [['--jsn', 'x'], '--jsn'],
    [['--after', 'abc', 'x'], '64 characters'],
    [[tmpdir()], 'directory'],
  ])('exits with code 2 and one line for %j', async (args, mention) => {
    const { code, output, errors } = await verify(...args)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^keepsake audit verify: [^\n]+\n$/)
    expect(errors).toContain(mention)
  })
})

describe('keepsake', () => {
  it('lists its commands, and shows the help of each', async () => {
    expect(await keepsake(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('audit verify') })
    expect(await keepsake([])).toMatchObject({ code: 2, output: expect.stringContaining('audit verify') })
    expect(await keepsake(['audit', 'verify', '--help'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('--expect'),
    })
    expect((await keepsake(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('lists the commands of a group with --help', async () => {
    for (const args of [
      ['keys', '--help'],
      ['help', 'keys'],
      ['entities', '-h'],
    ]) {
      const { code, output } = await keepsake(args)
      const [group = ''] = args.filter((word) => /^[a-z]{3,}$/.test(word) && word !== 'help')
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${group} list`) })
      expect(output).toMatch(/create|show/)
    }
    expect((await keepsake(['help', 'keys', 'create'])).output).toContain('--out FILE')
    expect((await keepsake(['keys', 'made-up'])).errors).toContain('made-up')
  })

  it('rejects an unknown command with code 2', async () => {
    for (const args of [['audit'], ['adit', 'verify'], ['verify']]) {
      const { code, errors } = await keepsake(args)
      expect(code).toBe(2)
      expect(errors).toMatch(/^keepsake: unknown command [^\n]+\n$/)
    }
  })

  it('runs as a separate program and reads a pipe', () => {
    const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
    expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    const lines = logOf(3)
    const { status, stdout } = spawnSync(process.execPath, [program, 'audit', 'verify', '-'], {
      input: text(lines.with(2, '{}')),
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringMatching(/^-:3: /) })
  })
})
