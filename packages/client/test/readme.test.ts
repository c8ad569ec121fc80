/**
 * Runs every example of the README and docs/client.md as a reader would: in a separate file, with the built package imported by
 * name, against a real service. Frameworks and models that are not installed are replaced by stand-ins; `npm run test:doors` compiles and
 * runs the same examples with the real ones.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { masterKey } from '../../server/test/support/harness.js'
import { type RealService, startRealService } from './real-service.js'

const packageRoot = fileURLToPath(new URL('..', import.meta.url))
// Inside the package, so that Node can resolve the package by its own name.
const workshop = join(packageRoot, '.cache', `readme-${process.pid}`)
const pages = ['packages/client/README.md', 'docs/client.md']

interface Example {
  readonly name: string
  readonly code: string
  readonly withKeys: boolean
  readonly prints: string | undefined
}

async function examplesOf(page: string): Promise<Example[]> {
  const text = await readFile(join(packageRoot, '..', '..', page), 'utf8')
  const blocks = text.matchAll(
    /(<!-- authentication is on -->\n\n)?```ts\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g,
  )
  return [...blocks].map(([, keys, code = '', prints], at) => ({
    name: `${page}, example ${at + 1}`,
    code,
    withKeys: keys !== undefined,
    prints,
  }))
}

function run(file: string, env: Readonly<Record<string, string>>): Promise<{ output: string; errors: string }> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 120_000 }
    execFile(process.execPath, [file], options, (_error, output, errors) => resolve({ output, errors }))
  })
}

const examples = (await Promise.all(pages.map(examplesOf))).flat()

describe('the examples', () => {
  let open: RealService
  let guarded: RealService

  beforeAll(async () => {
    open = await startRealService()
    guarded = await startRealService({ auth: true })
    await mkdir(join(workshop, 'node_modules'), { recursive: true })
    await cp(join(packageRoot, 'test', 'stand-ins'), join(workshop, 'node_modules'), { recursive: true })
    for (const name of ['ai', 'openai', '@ai-sdk/openai']) {
      const manifest = JSON.stringify({ name, type: 'module', exports: './index.mjs' })
      await writeFile(join(workshop, 'node_modules', name, 'package.json'), manifest)
    }
  })
  afterAll(async () => {
    await rm(workshop, { recursive: true, force: true })
    await open.close()
    await guarded.close()
  })

  it('number at least ten', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10)
  })

  // In order: some examples need what an earlier one stored.
  it.each(examples)('$name prints the documented output', async ({ name, code, withKeys, prints }) => {
    const address = 'http://127.0.0.1:8787'
    expect(code).toContain(address)
    const file = join(workshop, `${name.replace(/\W+/g, '-')}.mjs`)
    const { code: plain } = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })
    await writeFile(file, plain.replaceAll(address, withKeys ? guarded.url : open.url))
    const { output, errors } = await run(file, withKeys ? { SERVICE_MASTER_KEY: masterKey } : {})
    expect(errors).toBe('')
    expect(output).toBe(prints ?? '')
  })
})
