import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { allowExpressionBytecode, skipExpressionBytecode } from '../core/expression-code.js'
import { loadBundled } from './bundled.js'

const record = 'what the compiler wrote'
const digest = (content: string) => createHash('sha256').update(content).digest('hex')

let built: string
beforeEach(async () => {
  built = await mkdtemp(join(tmpdir(), 'keepsake-bundle-'))
  await mkdir(join(built, 'bundle'))
  await writeFile(join(built, '.tsbuildinfo'), record)
  await bundle('exports.answer = () => require("node:path").basename(__filename)')
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(built, { recursive: true, force: true })
})

async function bundle(source: string): Promise<void> {
  await writeFile(join(built, 'bundle', 'program-1.cjs'), source)
  const manifest = { build: digest(record), files: { program: 'program-1.cjs' } }
  await writeFile(join(built, 'bundle', 'manifest.json'), JSON.stringify(manifest))
}

/** Loads it, and waits until the code would be saved. */
function load(): string | undefined {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  // The bundle above.
  const program = loadBundled('program', { built }) as { answer(): string } | undefined
  const answer = program?.answer()
  vi.runAllTimers()
  return answer
}

const code = () => join(built, 'bundle', 'code')
const savedFiles = () => readdir(code()).catch(() => [])

describe('the bundle', () => {
  it('is loaded like a CommonJS module', () => {
    expect(load()).toBe('program-1.cjs')
  })

  it('keeps letters beyond ASCII, which the bundler leaves in regular expressions', async () => {
    await bundle('exports.answer = () => String(/^[’東]+$/u.test("\\u2019\\u6771"))')
    expect(load()).toBe('true')
  })

  it('is not loaded if there is none, if it lacks the program, or if the sources were compiled again', async () => {
    expect(loadBundled('another', { built })).toBeUndefined()
    await writeFile(join(built, '.tsbuildinfo'), 'something else')
    expect(load()).toBeUndefined()
    await rm(join(built, '.tsbuildinfo'))
    expect(load()).toBe('program-1.cjs')
    await rm(join(built, 'bundle'), { recursive: true })
    expect(load()).toBeUndefined()
  })

  it('saves the compiled code once, and the next start uses it', async () => {
    load()
    const file = `program-1.cjs.${cachedDataVersionTag().toString(16)}`
    expect(await savedFiles()).toEqual([file])
    const { ino } = await stat(join(code(), file))
    expect(load()).toBe('program-1.cjs')
    expect((await stat(join(code(), file))).ino).toBe(ino)
  })

  it('saves the compiled code for the flags that V8 had when it was loaded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    loadBundled('program', { built })
    const before = cachedDataVersionTag()
    try {
      skipExpressionBytecode()
      const after = cachedDataVersionTag()
      vi.runAllTimers()
      expect(cachedDataVersionTag()).toBe(after)
    } finally {
      allowExpressionBytecode()
    }
    const [file = ''] = await savedFiles()
    expect(file).toBe(`program-1.cjs.${before.toString(16)}`)
    const { ino } = await stat(join(code(), file))
    // Code with other flags would be rejected and replaced.
    expect(load()).toBe('program-1.cjs')
    expect((await stat(join(code(), file))).ino).toBe(ino)
  })

  it('ignores and replaces damaged code', async () => {
    load()
    const path = join(code(), (await savedFiles())[0] ?? '')
    const whole = await readFile(path)
    for (const damaged of [Buffer.alloc(0), whole.subarray(0, 40), Buffer.concat([whole, Buffer.from('x')])]) {
      await writeFile(path, damaged)
      expect(load()).toBe('program-1.cjs')
      expect((await readFile(path)).equals(damaged)).toBe(false)
    }
    expect(await savedFiles()).toHaveLength(1)
  })

  it('works where nothing can be saved', async () => {
    await writeFile(code(), 'a file in place of the folder')
    expect(load()).toBe('program-1.cjs')
    expect(await readFile(code(), 'utf8')).toBe('a file in place of the folder')
    expect(await readdir(join(built, 'bundle'))).toHaveLength(3)
  })
})
