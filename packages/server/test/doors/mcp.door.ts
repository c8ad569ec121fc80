/**
 * The official conformance suite of the Model Context Protocol: the scenarios that need no session, and no tools, resources or prompts of its example
 * server. The newer version needs Node 22.
 */
import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Surroundings, serviceDoor } from './service-door.js'

const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]

async function pass(scenario: string, { openUrl, package: program }: Surroundings): Promise<void> {
  // It writes its results into the working directory.
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-conformance-'))
  try {
    const args = [String(program), 'server', '--url', `${openUrl}/mcp`, '--scenario', scenario]
    // It exits with 1 if a check fails, and this rejects with its output.
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory, timeout: 60_000 })
    assert.match(stdout, /Passed: [1-9]/)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export const door = serviceDoor({
  name: 'mcp',
  package: '@modelcontextprotocol/conformance',
  versions: ['0.1.13', '0.1.16'],
  quickly: '0.1.13',
  needsNode: { '0.1.16': 22 },
  program: 'dist/index.js',
  checks: Object.fromEntries(scenarios.map((each) => [each, (around: Surroundings) => pass(each, around)])),
})
