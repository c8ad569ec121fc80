/** Runs the checks of one door with one version of its package, and sends the result to the process that started this one. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Door } from './door.js'

export interface Result {
  readonly node: string
  readonly checks: number
  readonly passed: number
}

export async function doorIn(file: string): Promise<Door> {
  return ((await import(pathToFileURL(file).href)) as { readonly door: Door }).door
}

async function run(file: string, folder: string, version: string): Promise<Result> {
  const { name, open } = await doorIn(file)
  const load = createRequire(join(folder, 'package.json'))
  const { checks, close } = await open({ load, folder, version })
  let passed = 0
  for (const [title, check] of Object.entries(checks)) {
    try {
      await check()
      passed += 1
    } catch (error) {
      console.error(`${name} ${version}: ${title}\n`, error)
    }
  }
  await close()
  return { node: process.versions.node, checks: Object.keys(checks).length, passed }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', folder = '', version = ''] = process.argv.slice(2)
  const result = await run(file, folder, version)
  process.send?.(result, () => process.exit(0))
}
