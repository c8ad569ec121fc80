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
  for (const name of ['client', 'server', 'keepsake'])
    await tool('publint/src/cli.js', '--strict', join(packed, 'staged', name))
  const { version } = JSON.parse(readFileSync(join(packed, 'staged', 'client', 'package.json'), 'utf8'))
  const types = (archive, ...words) =>
    tool('@arethetypeswrong/cli/dist/index.js', `${archive}-${version}.tgz`, ...words)
  // node10 knows no "exports", so TypeScript before 4.7 and "moduleResolution": "node" find only the main entry.
  await types('keepsake-client', '--profile', 'node16', '--exclude-entrypoints', './package.json')
  await types('keepsake-server', '--profile', 'esm-only', '--entrypoints', '.')
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
