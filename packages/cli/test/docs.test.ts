/** Runs docs/cli.md and docs/import.md from top to bottom in bash, as a reader would. In the expected output, … stands for anything that differs between runs. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { manualClock, masterKey } from '../../server/test/support/harness.js'

const page = ['cli.md', 'import.md']
  .map((name) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8'))
  .join('\n')
const blocks = page.matchAll(
  /(<!-- authentication is on -->\n\n)?```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g,
)
const examples = [...blocks].map(([, keys, commands = '', prints], at) => ({
  name: `${at + 1}: ${commands.split('\n', 1)[0]}`,
  withKeys: keys !== undefined,
  commands,
  prints,
}))

const directory = mkdtempSync(join(tmpdir(), 'keepsake-docs-'))
let open: RealService
let guarded: RealService

beforeAll(async () => {
  const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
  const shim = join(directory, 'keepsake')
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(shim, 0o755)
  // The demo creates memories relative to today, by the system clock.
  open = await startRealService({ clock: manualClock(Date.now()) })
  guarded = await startRealService({ auth: true })
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await open.close()
  await guarded.close()
})

function inBash(commands: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['--norc', '-c', commands], {
      cwd: directory,
      env: { PATH: `${directory}:${process.env.PATH}`, SERVICE_DATA_DIR: join(directory, 'data'), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const output: string[] = []
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.once('close', () => resolve(output.join('')))
  })
}

/** A line with only … stands for any number of lines. */
function pattern(prints: string): RegExp {
  const lines = prints.split('\n').map((line) => {
    const isOpen = line.trim() === '…'
    const literal = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2,}/g, ' +'))
    return isOpen ? '(?:[^\\n]*\\n)*?[^\\n]*' : literal.join('[^\\n]*')
  })
  return new RegExp(`^${lines.join('\\n')}$`)
}

describe('docs/cli.md and docs/import.md', () => {
  it('have more than ten examples, each with its output', () => {
    expect(examples.length).toBeGreaterThan(10)
    for (const { name, prints } of examples) expect(prints, name).toBeDefined()
  })

  // In order: some examples need what an earlier one stored.
  it.each(examples)(
    'print the documented output of example $name',
    { timeout: 300_000 },
    async ({ commands, withKeys, prints }) => {
      const service = withKeys ? guarded : open
      const env = { KEEPSAKE_URL: service.url, ...(withKeys ? { SERVICE_MASTER_KEY: masterKey } : {}) }
      expect(await inBash(commands, env)).toMatch(pattern(prints ?? ''))
    },
  )
})
