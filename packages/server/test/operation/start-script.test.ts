/** `npm start` in a fresh clone, with small programs in place of the compiler and the bundler. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

let clone = ''
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'keepsake-clone-'))
  for (const name of ['start.mjs', 'build-progress.mjs']) {
    const from = fileURLToPath(new URL(`../../${name}`, import.meta.url))
    cpSync(from, file(`packages/server/${name}`, ''))
  }
  file('package.json', '{"type":"module"}')
  file('packages/server/build-assets.mjs', '')
  file('node_modules/typescript/package.json', '{"name":"typescript"}')
  file(
    'node_modules/typescript/bin/tsc',
    `const { mkdirSync, writeFileSync } = require('node:fs')
     mkdirSync(process.argv[3] + 'dist', { recursive: true })
     writeFileSync(process.argv[3] + 'dist/main.js', 'export const main = (args) => console.log("serving", args)')`,
  )
  file('packages/server/bundle.mjs', '')
  file('packages/dashboard/build.mjs', '')
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(clone, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

function start(): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [join(clone, 'packages/server/start.mjs'), 'one'])
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })))
}

it('says what it builds, on standard error, and that the first start takes longer', async () => {
  const first = await start()
  expect(first).toMatchObject({ code: 0, output: "serving [ 'one' ]\n" })
  const lines = first.errors.trim().split('\n')
  const steps = ['Compiling the service …', 'Bundling the service …', 'Building the dashboard …']
  expect(lines).toEqual([expect.stringContaining('First start'), ...steps])
  const second = await start()
  expect(second.errors.trim().split('\n')).toEqual(steps)
})

it('shows the errors of the compiler and stops, and starts without a bundle or a dashboard that can’t be built', async () => {
  file('packages/dashboard/build.mjs', 'console.log("no bundler"); process.exit(1)')
  const without = await start()
  expect(without).toMatchObject({ code: 0, output: expect.stringContaining('serving') })
  expect(without.errors).toContain('no bundler\nThe dashboard could not be built')
  file('packages/server/bundle.mjs', 'console.log("no esbuild"); process.exit(1)')
  const slower = await start()
  expect(slower).toMatchObject({ code: 0, output: expect.stringContaining('serving') })
  expect(slower.errors).toContain('no esbuild\nThe service could not be bundled')
  file('node_modules/typescript/bin/tsc', 'console.log("error TS1: wrong"); process.exit(2)')
  expect(await start()).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('error TS1: wrong') })
})

it('counts the seconds of a step on a terminal', async () => {
  const { runStep }: { runStep(label: string, args: string[], output: object, tickMs: number): Promise<number> } =
    await import(new URL('../../build-progress.mjs', import.meta.url).href)
  const written: string[] = []
  const output = { isTTY: true, write: (text: string | Buffer) => void written.push(String(text)) }
  const program = file('slow.cjs', 'setTimeout(() => console.log("done"), 150)')
  expect(await runStep('Compiling', [program], output, 20)).toBe(0)
  expect(written.join('')).toMatch(/^ {2}Compiling \.{2,} \d+\.\d s\ndone\n$/)
})
