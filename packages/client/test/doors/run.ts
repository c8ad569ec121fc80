/**
 * Checks the service and each adapter against the real packages that they are for, and prints a table: `npm run test:doors`. The
 * packages are installed into `.cache/doors`. Names of files choose doors (`-- vercel-ai mem0`); `--node 24` runs them all with another
 * Node from npm. A package that needs a newer Node than the current one gets it. `--quick` leaves out doors that install much, and takes one
 * version of each other one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installed, nodeFor } from './installing.js'
import { doorIn, type Result } from './open-door.js'

const folders = ['./', '../../../server/test/doors/'].map((each) => fileURLToPath(new URL(each, import.meta.url)))
const opener = fileURLToPath(new URL('open-door.ts', import.meta.url))
const { values, positionals } = parseArgs({
  options: { node: { type: 'string' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const files = folders
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.door.ts'))
const chosen = files.filter((file) => positionals.length === 0 || positionals.includes(basename(file, '.door.ts')))
const unknown = positionals.filter((name) => !files.some((file) => basename(file, '.door.ts') === name))
if (unknown.length > 0) throw new Error(`there is no door ${unknown.join(', ')}`)

let hasFailed = false
const rows = [['door', 'version', 'node', 'checks', 'passed']]
for (const file of chosen) {
  const { name, versions, needsNode = {}, quickly } = await doorIn(file)
  if (values.quick && quickly === undefined) continue
  for (const packages of values.quick ? versions.filter(([first]) => first === quickly) : versions) {
    const folder = installed(packages)
    const node = nodeFor(folder, packages, { wanted: values.node, least: needsNode[packages[0] ?? ''] ?? 0 })
    const result = await opened(node, file, folder, packages[0] ?? '')
    hasFailed ||= result.passed < result.checks || result.checks === 0
    rows.push([name, packages[0] ?? '', result.node, String(result.checks), String(result.passed)])
  }
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
for (const row of rows) {
  const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  console.log(cells.join('  ').trimEnd())
}
process.exit(hasFailed ? 1 : 0)

/** Runs the checks in a process of their own: doors need different Nodes, and load different versions of one package. */
async function opened(node: string, file: string, folder: string, version: string): Promise<Result> {
  const child = spawn(node, ['--import', 'tsx', opener, file, folder, version], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // No package may report what the tests do.
    env: {
      ...process.env,
      MEM0_TELEMETRY: 'false',
      MASTRA_TELEMETRY_DISABLED: '1',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    },
  })
  let result: Result = { node: '?', checks: 0, passed: 0 }
  child.on('message', (message) => {
    // Only `open-door.ts` writes to this channel.
    result = message as Result
  })
  const [status] = await once(child, 'close')
  if (status !== 0) console.error(`${basename(file)} with ${version} ended with ${status}`)
  return status === 0 ? result : { ...result, passed: 0 }
}
