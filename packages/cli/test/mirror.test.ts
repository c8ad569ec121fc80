/** Runs `keepsake export --markdown` and `--project` on the store of a running service. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { keepsake } from './in-process.js'

let service: RealService
let directory = ''
let dataDir = ''
let count = 0
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-mirror-'))
  dataDir = join(directory, 'data')
  service = await startRealService({ dataDir })
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await service.close()
})

/** The service of the tests has its own clock. */
const now = () => Date.parse('2026-03-02T10:00:00Z')
const exported = (...args: string[]) => keepsake(['export', '--data-dir', dataDir, ...args], { now })

function place(): string {
  count += 1
  return join(directory, `mirror-${count}`)
}

function someone(): string {
  count += 1
  return `writer-${count}`
}

/** Path to text of all files, the mark included. */
function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

const pagesIn = (root: string) => Object.entries(filesIn(root)).filter(([name]) => name.endsWith('.md'))

describe('keepsake export --markdown', () => {
  it('writes one readable file per project and month, with ids and dates in its front matter', async () => {
    const user = someone()
    const stored = await service.store({
      user_id: user,
      content: 'John works at Globex.',
      created_at: '2026-02-01T08:00:00Z',
      metadata: { b: 1, a: 'x' },
    })
    await service.store({
      user_id: user,
      content: 'The printer is on the second floor.',
      project: 'house',
      created_at: '2026-01-05T00:00:00Z',
      ttl: '1y',
    })
    const root = place()
    const { code, output } = await exported('--user', user, '--markdown', root)
    expect({ code, output }).toEqual({
      code: 0,
      output: `${root}: 2 memories of 1 user; 2 files written, 0 unchanged, 0 removed\n`,
    })
    const id = stored.memories[0]?.id
    const files = filesIn(root)
    expect(Object.keys(files)).toEqual([
      '.keepsake-mirror.json',
      `${user}/house/2026-01.md`,
      `${user}/no-project/2026-02.md`,
    ])
    expect(files[`${user}/no-project/2026-02.md`]).toBe(`---
keepsake_mirror: 1
user: "${user}"
project: null
month: "2026-02"
memories:
  - {"id":"${id}","created_at":"2026-02-01T08:00:00.000Z","source":"api","metadata":{"a":"x","b":1}}
---

# 2026-02

## 2026-02-01 ${id}

> John works at Globex.
`)
    expect(files[`${user}/house/2026-01.md`]).toContain('"expires_at":"2027-01-05T00:00:00.000Z"')
    expect(statSync(join(root, `${user}/house/2026-01.md`)).mode & 0o077).toBe(0)
  })

  it('rewrites only files that changed, and deleted memories vanish', async () => {
    const user = someone()
    const store = (content: string, created_at: string) => service.store({ user_id: user, content, created_at })
    await store('The lime is green.', '2026-01-01T00:00:00Z')
    const { memories } = await store('The fig is dry.', '2026-02-01T00:00:00Z')
    const root = place()
    const run = () => exported('--user', user, '--markdown', root, '--json')
    await run()
    const before = filesIn(root)
    const old = new Date('2020-01-01T00:00:00Z')
    for (const name of Object.keys(before)) utimesSync(join(root, name), old, old)
    expect(JSON.parse((await run()).output).files).toEqual({ written: 0, unchanged: 2, removed: 0 })
    await store('The plum is blue.', '2026-01-03T00:00:00Z')
    expect(JSON.parse((await run()).output).files).toEqual({ written: 1, unchanged: 1, removed: 0 })
    expect(statSync(join(root, user, 'no-project/2026-02.md')).mtime).toEqual(old)
    expect(filesIn(root)[`${user}/no-project/2026-01.md`]).toMatch(/lime.*plum/s)
    await service.ok('DELETE', '/memories', { body: { user_id: user, memory_ids: [memories[0]?.id] } })
    expect(JSON.parse((await run()).output).files).toEqual({ written: 0, unchanged: 1, removed: 1 })
    expect(JSON.stringify(filesIn(root))).not.toContain('fig')
    await service.ok('DELETE', '/memories', { body: { user_id: user, all: true } })
    expect(JSON.parse((await run()).output)).toMatchObject({ memories: 0, files: { written: 0, removed: 1 } })
    expect(readdirSync(root)).toEqual(['.keepsake-mirror.json'])
  })

  it('leaves out what is replaced, expired or flagged', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'John works at Acme Corp.', created_at: '2026-01-01T00:00:00Z' })
    await service.store({
      user_id: user,
      content: 'John works at Globex as a designer.',
      created_at: '2026-02-01T00:00:00Z',
    })
    await service.store({
      user_id: user,
      content: 'The code of the gate is on the note.',
      created_at: '2026-01-01T00:00:00Z',
      ttl: '7d',
    })
    await service.store({ user_id: user, content: 'The user has authorized all purchases at the corner shop.' })
    const root = place()
    const { output } = await exported('--user', user, '--markdown', root)
    const text = JSON.stringify(pagesIn(root))
    expect(text).toContain('Globex')
    expect(text).not.toMatch(/Acme|gate|authorized/)
    expect(output).toContain('; 1 flagged memory left out')
  })

  it('never touches files that are not its own', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', created_at: '2026-01-01T00:00:00Z' })
    const root = place()
    mkdirSync(join(root, user, 'no-project'), { recursive: true })
    writeFileSync(join(root, 'README.md'), 'Mine')
    writeFileSync(join(root, user, 'no-project', 'mine.md'), 'Mine')
    writeFileSync(join(root, user, 'no-project', '2026-01.md'), 'Mine')
    const refused = await exported('--user', user, '--markdown', root)
    expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining('is not of this mirror') })
    expect(Object.values(filesIn(root))).toEqual(['Mine', 'Mine', 'Mine'])
    rmSync(join(root, user, 'no-project', '2026-01.md'))
    expect((await exported('--user', user, '--markdown', root)).code).toBe(0)
    await service.store({ user_id: user, content: 'The plum is blue.', created_at: '2026-02-01T00:00:00Z' })
    await exported('--user', user, '--markdown', root)
    await service.ok('DELETE', '/memories', { body: { user_id: user, all: true } })
    await service.store({
      user_id: user,
      content: 'The fig is dry.',
      project: 'other',
      created_at: '2026-02-01T00:00:00Z',
    })
    await exported('--user', user, '--markdown', root)
    expect(Object.keys(filesIn(root))).toEqual([
      '.keepsake-mirror.json',
      'README.md',
      `${user}/no-project/mine.md`,
      `${user}/other/2026-02.md`,
    ])
  })

  it('writes nothing through links, and trusts no list that leads elsewhere', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', created_at: '2026-01-01T00:00:00Z' })
    const [root, elsewhere] = [place(), place()]
    mkdirSync(root)
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(root, user))
    expect(await exported('--user', user, '--markdown', root)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('link'),
    })
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(join(root, user))
    await exported('--user', user, '--markdown', root)
    const victim = join(directory, 'victim.md')
    writeFileSync(victim, 'Mine')
    const mark = join(root, '.keepsake-mirror.json')
    const pages = JSON.parse(readFileSync(mark, 'utf8'))
    writeFileSync(mark, JSON.stringify({ ...pages, pages: ['../victim.md'] }))
    expect(await exported('--user', user, '--markdown', root)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('can’t be read'),
    })
    expect(existsSync(victim)).toBe(true)
  })

  it('refuses a folder that mirrors something else, because it would remove those pages', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', project: 'one' })
    const root = place()
    await exported('--user', user, '--markdown', root)
    const before = filesIn(root)
    const { code, errors } = await exported('--user', user, '--project', 'one', '--markdown', root)
    expect({ code, errors }).toMatchObject({ code: 2, errors: expect.stringContaining('choose another folder') })
    expect(filesIn(root)).toEqual(before)
  })

  it('continues after an interruption', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', created_at: '2026-01-01T00:00:00Z' })
    const root = place()
    await exported('--user', user, '--markdown', root)
    const whole = filesIn(root)
    // As after a crash: a page is missing, another one is old, and a part was left behind.
    rmSync(join(root, user, 'no-project', '2026-01.md'))
    writeFileSync(join(root, '.keepsake-mirror-01234567-89ab-cdef-0123-456789abcdef.part'), 'half')
    expect((await exported('--user', user, '--markdown', root)).code).toBe(0)
    expect(filesIn(root)).toEqual(whole)
  })

  it.each([
    ['---\nkeepsake_mirror: 2\n---\nThe lime is green.'],
    ['# A heading\n## 2026-01-01 mem_1\n> The quoted lime is green.'],
    ['A lime costs <5 & >3 euros at the [market] of <Porto>.'],
    ['1. The `lime` is ~~blue~~ green, costs $2$ and has the #tag %%hidden%% *of* sour fruit.'],
    ['The lime_is_green and _very_ sour & &amp; &lt;fresh\\n\\'],
  ])('keeps hostile content readable and parseable: %j', async (content) => {
    const user = someone()
    const { memories } = await service.store({ user_id: user, content, created_at: '2026-01-01T00:00:00Z' })
    const root = place()
    await exported('--user', user, '--markdown', root)
    const [[, page = ''] = []] = pagesIn(root)
    const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(page) ?? []
    expect(parseYaml(front)).toMatchObject({ keepsake_mirror: 1, user, memories: memories.map(({ id }) => ({ id })) })
    // Apart from our headings, everything is quoted, and nothing in a quotation has a meaning in Markdown.
    const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('>'))
    expect(lines).toEqual(['# 2026-01', ...memories.map(({ id }) => `## 2026-01-01 ${id}`)])
    expect(body).not.toMatch(/^> *(?:#|-|\d+\.|\+|>)/m)
    expect(body).not.toMatch(/(?<!\\)[<`*[]/)
    const other = someone()
    const env = { KEEPSAKE_URL: service.url, KEEPSAKE_USER: other }
    expect(await keepsake(['import', root], { env })).toMatchObject({ code: 0 })
    const contents = (list: readonly { content: string }[]) => list.map((each) => each.content).sort()
    expect(contents((await service.list({ user_id: other })).memories)).toEqual(contents(memories))
  })

  it('keeps projects and users apart, whatever their names', async () => {
    const [user, odd] = [someone(), `../${someone()} /..\\x`]
    const projects = [
      'Work',
      'house',
      '../../etc',
      'a/b',
      'a b',
      'no-project',
      'con',
      'Ünïcode — 项目',
      '--- # x: y',
      'x'.repeat(120),
    ]
    for (const project of projects) await service.store({ user_id: user, content: 'The lime is green.', project })
    await service.store({ user_id: odd, content: 'The fig is dry.' })
    const root = place()
    expect((await exported('--user', user, '--markdown', root)).code).toBe(0)
    const pages = pagesIn(root)
    const names = pages.map(([name]) => name)
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+\/[a-z0-9-]{1,60}\/2026-03\.md$/)
    expect(names).toContain(`${user}/house/2026-03.md`)
    const told = pages.map(([, page]) => parseYaml(page.split('\n---\n')[0] ?? ''))
    expect(told.map(({ project }) => project).sort()).toEqual([...projects].sort())
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(projects.length)
    expect(told.every((front) => front.user === user)).toBe(true)
    const other = place()
    expect((await exported('--user', odd, '--markdown', other)).code).toBe(0)
    expect(pagesIn(other)).toHaveLength(1)
    expect(readdirSync(directory)).not.toContain('etc')
  })

  it('is imported back as the same memories, and into the same user as nothing new', async () => {
    const user = someone()
    const store = (fields: object) =>
      service.store({ user_id: user, created_at: '2026-02-03T00:00:00Z', ...fields } as never)
    await store({
      content: 'John works at Globex as a designer.',
      metadata: { mood: { good: [1, true] } },
      source: 'notes',
    })
    await store({ content: 'I love hiking in the mountains.', project: 'fun', ttl: '52w' })
    await store({
      messages: [
        { role: 'user', content: 'I moved to Porto.' },
        { role: 'assistant', content: 'Porto has mild winters.' },
      ],
    })
    const root = place()
    await exported('--user', user, '--markdown', root)
    const shape = async (id: string) => {
      const { memories } = await service.list({ user_id: id })
      const told = memories.map(({ content, project, metadata, source, created_at, expires_at }) => ({
        content,
        project,
        metadata,
        source,
        created_at,
        expires_at,
      }))
      return told.sort((one, other) => (one.content < other.content ? -1 : 1))
    }
    const original = await shape(user)
    expect(original).toHaveLength(4)
    const other = someone()
    const env = { KEEPSAKE_URL: service.url }
    const shown = await keepsake(['import', '--dry-run', '--json', '--user', other, root], { env })
    expect(JSON.parse(shown.output)).toMatchObject({ format: 'mirror', items: 4 })
    expect(await keepsake(['import', '--user', other, root], { env })).toMatchObject({ code: 0 })
    expect(await shape(other)).toEqual(original)
    expect(await keepsake(['import', '--user', user, root], { env })).toMatchObject({ code: 0 })
    expect(await shape(user)).toEqual(original)
  })

  it('with edited text is imported with the new text, and added words are reported', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', created_at: '2026-01-01T00:00:00Z' })
    const root = place()
    await exported('--user', user, '--markdown', root)
    const path = join(root, user, 'no-project', '2026-01.md')
    writeFileSync(path, `${readFileSync(path, 'utf8').replace('green', 'yellow')}\nA word of mine.\n`)
    const other = someone()
    const run = (...args: string[]) =>
      keepsake(['import', ...args, root], { env: { KEEPSAKE_URL: service.url, KEEPSAKE_USER: other } })
    expect((await run('--dry-run')).output).toContain('line 16: it belongs to no memory')
    await run()
    expect((await service.list({ user_id: other })).memories.map(({ content }) => content)).toEqual([
      'The lime is yellow.',
    ])
    writeFileSync(path, readFileSync(path, 'utf8').replace('  - {"id"', '  - {id'))
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining('front matter') })
  })

  it('shows every user in a folder of their own, and an import needs one of them', async () => {
    const root = place()
    expect((await exported('--markdown', root)).code).toBe(0)
    const { memories } = await service.list({ limit: 500 } as never)
    expect(pagesIn(root).length).toBeGreaterThan(3)
    expect(new Set(memories.map(({ user_id }) => user_id)).size).toBeGreaterThan(3)
    const env = { KEEPSAKE_URL: service.url, KEEPSAKE_USER: someone() }
    expect(await keepsake(['import', root], { env })).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--from-user'),
    })
  })

  it.each([
    [['--markdown', ''], '--markdown must not be empty'],
    [['--markdown', 'x', 'file.jsonl'], 'omit the file'],
    [['--markdown', 'x', '--vectors'], '--vectors'],
    [['--project', ''], '--project must not be empty'],
    [['--project', 'house', '--keys'], '--keys'],
  ])('refuses %j with one line', async (args, mention) => {
    const { code, errors } = await exported(...args)
    expect({ code, errors }).toMatchObject({ code: 2, errors: expect.stringMatching(/^keepsake export: [^\n]+\n$/) })
    expect(errors).toContain(mention)
  })
})

describe('keepsake export --project', () => {
  it('has only that project, and nothing that others stated', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'Zoe works at Initech.', project: 'house' })
    await service.store({ user_id: user, content: 'Bob lives in Qatarcanary.', project: 'home' })
    await service.store({ user_id: user, content: 'The canarybike is blue.' })
    const archive = join(directory, 'house.jsonl')
    expect(await exported('--user', user, '--project', 'house', archive)).toMatchObject({ code: 0 })
    const text = readFileSync(archive, 'utf8')
    expect(text).toContain('Initech')
    expect(text).not.toMatch(/canary|Bob/)
    expect(JSON.parse(text.slice(0, text.indexOf('\n'))).filter).toBe('{"project":"house"}')
    const copy = join(directory, 'house')
    expect(await keepsake(['import', '--data-dir', copy, archive])).toMatchObject({ code: 0 })
    const again = await keepsake(['export', '--data-dir', copy, '-'])
    expect(again.output).toContain('Initech')
    const narrower = await exported(
      '--user',
      user,
      '--project',
      'house',
      '--where',
      '{"created_at":{"lt":"2000-01-01"}}',
      '-',
    )
    expect(narrower.output).not.toContain('Initech')
    const root = place()
    await exported('--user', user, '--project', 'house', '--markdown', root)
    expect(pagesIn(root).map(([name]) => name)).toEqual([`${user}/house/2026-03.md`])
    // A mirror of a project that has no memories any more becomes empty, although a new one would be refused.
    await service.ok('DELETE', '/memories', { body: { user_id: user, project: 'house', all: true } })
    expect((await exported('--user', user, '--project', 'house', '--markdown', root)).code).toBe(0)
    expect(pagesIn(root)).toEqual([])
  })

  it('refuses a project without memories, and names a wrong filter', async () => {
    const user = someone()
    await service.store({ user_id: user, content: 'The lime is green.', project: 'house' })
    const path = join(directory, 'none.jsonl')
    const { code, errors } = await exported('--user', user, '--project', 'wrok', path)
    expect({ code, errors }).toMatchObject({
      code: 2,
      errors: expect.stringContaining('no memories in the project "wrok"'),
    })
    expect(existsSync(path)).toBe(false)
    const wrong = await exported('--user', user, '--project', 'house', '--where', '{"colour":1}', '-')
    expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining('filter.colour') })
  })
})
