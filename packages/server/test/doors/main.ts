/**
 * `npm run test:doors`: runs the packages of other projects against the service, as their users would, and prints a table. The packages are
 * installed from the registry into `.cache/doors`, once.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { runService } from '../support/running-service.js'
import type { RealDoor } from './real-door.js'

const masterKey = 'a-master-key-for-the-doors-of-others-0123456789'
const folder = fileURLToPath(new URL('.', import.meta.url))
const cache = fileURLToPath(new URL('../../../../.cache/doors', import.meta.url))
const { values } = parseArgs({ options: { only: { type: 'string' } } })

// No package may report what the tests do.
process.env.MEM0_TELEMETRY = 'false'

const doors: RealDoor[] = []
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.door.ts'))
  .sort()) {
  const { default: door } = (await import(pathToFileURL(join(folder, file)).href)) as { readonly default: RealDoor }
  if (values.only === undefined || door.name === values.only) doors.push(door)
}
if (doors.length === 0) throw new Error(`there is no door ${values.only}`)

const rows = [['door', 'version', 'checks', 'passed']]
let hasFailed = false
for (const door of doors) {
  for (const version of door.versions) {
    const passed = await pass(door, version)
    const checks = Object.keys(door.checks).length
    hasFailed ||= passed < checks
    rows.push([door.name, version, String(checks), String(passed)])
  }
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
process.exit(hasFailed ? 1 : 0)

/** The number of checks that passed. Services are new for each version. */
async function pass(door: RealDoor, version: string): Promise<number> {
  const home = installedIn(door.package, version)
  const installed =
    door.program === undefined
      ? await import(pathToFileURL(createRequire(join(home, 'package.json')).resolve(door.package)).href)
      : join(home, 'node_modules', door.package, door.program)
  const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'keepsake-doors-')))
  const [guarded = '', open = ''] = directories
  const common = { SERVICE_RATE_LIMIT_ENABLED: 'false' }
  const service = await runService({ ...common, SERVICE_DATA_DIR: guarded, SERVICE_MASTER_KEY: masterKey })
  const openService = await runService({ ...common, SERVICE_DATA_DIR: open })
  let passed = 0
  const createKey = async (body: object): Promise<string> => {
    const answer = await fetch(`${service.url}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const created = (await answer.json()) as { readonly key?: string }
    if (created.key === undefined) throw new Error(`no key: ${JSON.stringify(created)}`)
    return created.key
  }
  for (const [title, check] of Object.entries(door.checks)) {
    try {
      await check({ version, url: service.url, openUrl: openService.url, createKey, package: installed })
      passed += 1
    } catch (error) {
      console.error(`${door.name} ${version}: ${title}\n`, error)
    }
  }
  for (const each of [service, openService]) {
    each.process.kill('SIGTERM')
    await each.finished
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  return passed
}

function installedIn(name: string, version: string): string {
  const home = join(cache, `${name.replace('/', '-')}@${version}`)
  if (!existsSync(join(home, 'node_modules', name))) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{"private":true}')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--no-save']
    execFileSync('npm', ['install', `${name}@${version}`, ...options], { cwd: home, stdio: 'inherit' })
  }
  return home
}
