/** Tests the completion scripts in the real shells, if those are installed. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../src/commands.js'
import { shells } from '../src/completion-scripts.js'
import { keepsake } from './in-process.js'

const scripts = Object.fromEntries(
  await Promise.all(shells.map(async (shell) => [shell, (await keepsake(['completions', shell])).output] as const)),
)
const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0

describe.each(shells)('completions for %s', (shell) => {
  it.skipIf(!isInstalled(shell))('are a script that the shell can parse', () => {
    const { status, stderr } = spawnSync(shell, ['-n'], { input: scripts[shell], encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('cover every command and every option', () => {
    for (const { name, options = {} } of commands) {
      for (const word of name.split(' ')) expect(scripts[shell]).toContain(word)
      for (const option of Object.keys(options))
        expect(scripts[shell], name).toMatch(new RegExp(`(--|-l )${option}\\b`))
    }
  })
})

describe.skipIf(!isInstalled('bash'))('bash completion', () => {
  /** Completes all lines in one shell. A line that ends with a space completes a new word. */
  function completed(lines: readonly string[]): string[][] {
    const asked = lines.map((line) => {
      const words = line.split(' ').map((word) => `'${word}'`)
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keepsake; echo "\${COMPREPLY[*]}"`
    })
    const { stdout, stderr } = spawnSync('bash', ['--norc'], {
      input: `${scripts.bash}\n${asked.join('\n')}\n`,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').filter(Boolean))
  }

  it('offers commands, their second words, options, and values of options', () => {
    const [first, second, bare, option, value, shell, afterAlias, free] = completed([
      'keepsake re',
      'keepsake keys c',
      'keepsake entities ',
      'keepsake recall --ex',
      'keepsake entities list --type P',
      'keepsake completions ',
      'keepsake entities --ty',
      'keepsake recall --limit ',
    ])
    expect(first).toEqual(['recall', 'release'])
    expect(second).toEqual(['create'])
    expect(bare).toEqual(['list', 'show'])
    expect(option).toEqual(['--explain'])
    expect(value).toEqual(['PERSON', 'PRODUCT'])
    expect(shell).toEqual(['bash', 'zsh', 'fish'])
    expect(afterAlias).toEqual(['--type'])
    expect(free ?? []).toEqual([])
  })

  it('offers files where a command takes a file', () => {
    const [files] = completed(['keepsake audit verify packages/cli/package.j'])
    expect(files).toEqual(['packages/cli/package.json'])
  })
})

describe('keepsake completions', () => {
  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('rejects %j with exit code 2', async (args) => {
    expect(await keepsake(['completions', ...args])).toMatchObject({ code: 2, output: '' })
  })
})
