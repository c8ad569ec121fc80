/**
 * Checks each adapter against the real package that it is for: `npm run test:doors`. The packages are installed into `.cache/doors`.
 * Each other file of this folder is one door.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Door } from './door.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
const cache = fileURLToPath(new URL('../../../../.cache/doors', import.meta.url))
const helpers = ['run.ts', 'door.ts']

function install(packages: readonly string[]): void {
  mkdirSync(cache, { recursive: true })
  const file = join(cache, 'installed.json')
  const wanted = JSON.stringify([...new Set(packages)].sort())
  try {
    if (readFileSync(file, 'utf8') === wanted) return
  } catch {
    // Nothing has been installed yet.
  }
  writeFileSync(join(cache, 'package.json'), '{"private":true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-save']
  execFileSync('npm', ['install', ...flags, ...new Set(packages)], { cwd: cache, stdio: 'inherit' })
  writeFileSync(file, wanted)
}

const chosen = process.argv.slice(2)
const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !helpers.includes(name))
const doors: Door[] = []
for (const file of files.sort()) {
  if (chosen.length > 0 && !chosen.includes(file.replace('.ts', ''))) continue
  const { door } = (await import(join(folder, file))) as { readonly door: Door }
  doors.push(door)
}
install(doors.flatMap(({ packages }) => packages))

const load = createRequire(join(cache, 'package.json'))
let failures = 0
const rows = [['door', 'version', 'checks', 'passed']]
for (const { name, packages, open } of doors) {
  const opened = await open(load)
  const checks = Object.entries(opened.checks)
  let passed = 0
  for (const [title, check] of checks) {
    try {
      await check()
      passed += 1
    } catch (error) {
      failures += 1
      console.error(`${name}: ${title}\n`, error)
    }
  }
  await opened.close()
  rows.push([name, packages.join(' '), String(checks.length), String(passed)])
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
process.exit(failures === 0 && doors.length > 0 ? 0 : 1)
