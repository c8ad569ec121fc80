import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectOf } from './project.js'
import { lastPrompts } from './transcript.js'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-transcript-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function file(name: string, lines: readonly (object | string)[]): string {
  const path = join(directory, name)
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return path
}
const texts = (path: string, count: number) => lastPrompts(path, count).map(({ text }) => text)

describe('the last prompts of a transcript', () => {
  it('are what the user typed in Claude Code, and nothing that the program wrote', () => {
    const user = (uuid: string, content: unknown, more = {}) => ({
      type: 'user',
      uuid,
      message: { role: 'user', content },
      ...more,
    })
    const path = file('claude.jsonl', [
      user('1', 'first'),
      user('2', [
        { type: 'text', text: 'second' },
        { type: 'image', source: {} },
      ]),
      { type: 'assistant', uuid: '3', message: { role: 'assistant', content: [{ type: 'text', text: 'no' }] } },
      user('4', [{ type: 'tool_result', content: 'no' }]),
      user('5', 'no', { isMeta: true }),
      user('6', 'no', { isSidechain: true }),
      user('7', 'no', { isCompactSummary: true }),
      'broken {',
      '{"type":"user"',
      'null',
    ])
    expect(texts(path, 5)).toEqual(['first', 'second'])
    expect(texts(path, 1)).toEqual(['second'])
    expect(lastPrompts(path, 1)).toEqual(lastPrompts(path, 1))
  })

  it('are what the user typed in Codex', () => {
    const path = file('codex.jsonl', [
      { timestamp: 't1', type: 'session_meta', payload: { id: 's' } },
      {
        timestamp: 't2',
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>' }] },
      },
      { timestamp: 't3', type: 'event_msg', payload: { type: 'user_message', message: 'We use pnpm.' } },
      { timestamp: 't4', type: 'event_msg', payload: { type: 'agent_message', message: 'ok' } },
    ])
    expect(texts(path, 5)).toEqual(['We use pnpm.'])
  })

  it('are found at the end of a large file, and absent without one', () => {
    const filler = JSON.stringify({ type: 'assistant', message: { content: 'x'.repeat(100_000) } })
    const lines = Array.from({ length: 50 }, () => filler)
    const path = file('large.jsonl', [...lines, { type: 'user', uuid: '1', message: { content: 'last' } }])
    expect(texts(path, 3)).toEqual(['last'])
    expect(lastPrompts(join(directory, 'missing'), 3)).toEqual([])
    expect(lastPrompts(directory, 3)).toEqual([])
  })
})

describe('the project of a directory', () => {
  it('is the repository, whichever folder or work tree of it is open', () => {
    const repository = join(directory, 'shop')
    mkdirSync(join(repository, 'src', 'deep'), { recursive: true })
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'x')
    git('worktree', 'add', '-q', join(directory, 'shop-fix'))
    const name = projectOf(repository, '/home/ana')
    expect(name).toMatch(/^shop-[0-9a-f]{8}$/)
    expect(projectOf(join(repository, 'src', 'deep'), '/home/ana')).toBe(name)
    expect(projectOf(join(directory, 'shop-fix'), '/home/ana')).toBe(name)
  })

  it('differs between repositories of the same name, and is none at home', () => {
    const [one, two] = ['a', 'b'].map((parent) => {
      mkdirSync(join(directory, parent, 'api', '.git'), { recursive: true })
      return projectOf(join(directory, parent, 'api'), '/home/ana')
    })
    expect(one).not.toBe(two)
    expect(projectOf(directory, directory)).toBeUndefined()
    expect(projectOf('/', '/home/ana')).toBeUndefined()
    expect(projectOf(undefined, '/home/ana')).toBeUndefined()
    expect(projectOf(join(directory, 'gone\u0000x\n'.replaceAll('\u0000', '')), '/home/ana')).toMatch(/^[\w.-]+$/)
  })
})
