/**
 * publint and arethetypeswrong, which find mistakes in manifests and types. They are installed here, at exact versions, and not as
 * development dependencies: together they bring about a hundred packages, among them another TypeScript, for this test alone.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, npmIn, runToEnd } from './tools.mjs'

const versions = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' }

export async function checkPackages(packed, cache, registry) {
  await installTools(cache, registry)
  const tool = (name, ...words) =>
    runToEnd(process.execPath, [join(cache, 'node_modules', name), ...words], { cwd: packed, env: environment() })
  for (const name of ['@keepsake/client', '@keepsake/server', 'keepsake'])
    await tool('publint/src/cli.js', '--strict', '--pack', 'false', join(packed, 'staged', name))
  const { version } = JSON.parse(readFileSync(join(packed, 'staged', '@keepsake/client', 'package.json'), 'utf8'))
  // node10 knows no "exports": TypeScript with "moduleResolution": "node" finds the main entry, but no adapter (docs/client.md).
  await tool('@arethetypeswrong/cli/dist/index.js', `keepsake-client-${version}.tgz`, '--profile', 'node16')
}

async function installTools(cache, registry) {
  const isThere = Object.entries(versions).every(([name, version]) => {
    const manifest = join(cache, 'node_modules', name, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
  })
  if (isThere) return
  writeFileSync(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  await npmIn(cache, { registry })('install', '--ignore-scripts', '--no-package-lock')
}
