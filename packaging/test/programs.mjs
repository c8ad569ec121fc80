/** Uses the installed service and the installed MCP server. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { environment } from './tools.mjs'

const startTimeoutMs = 180_000

/** `npx <package> serve`: waits for the banner, runs `use`, and expects a clean end after an interrupt. */
export async function checkService(npm, packageName, use) {
  const words = ['--yes', packageName, 'serve', '--port', '0']
  const child = spawn('npx', words, { cwd: npm.folder, env: npm.environment, detached: true })
  // Closed by the last process that holds the pipe, which is the service.
  const ended = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  try {
    await use(await addressIn(() => output, child))
    // Like Ctrl+C in a terminal: to npx, its shell and the service.
    process.kill(-child.pid, 'SIGINT')
    await ended
    assert.ok(output.includes('stopping: requests in flight are answered first'), output.slice(-2000))
  } finally {
    killGroup(child.pid)
  }
}

async function addressIn(output, child) {
  const deadline = Date.now() + startTimeoutMs
  while (Date.now() < deadline && child.exitCode === null) {
    const address = /API\s+(http:\/\/\S+)\/api\/v1/.exec(output())?.[1]
    if (address !== undefined) return address
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`the service did not start:\n${output()}`)
}

/** npx starts a shell, which starts the service: all three share a process group. */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

export async function storeAndRecall(url) {
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.ok(response.ok, `${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  await post('/store', { user_id: 'eva', content: 'I love hiking in the mountains. John works at Acme Corp.' })
  const query = { user_id: 'eva', query: 'Which outdoor activity do I enjoy?', enable_rerank: true, explain: true }
  const found = await post('/recall', query)
  assert.equal(found.degraded, undefined)
  assert.match(found.memories[0].content, /hiking in the mountains/)
  assert.equal(found.memories[0].explain.rerank.rank, 1)
  const other = await post('/recall', { ...query, user_id: 'ben' })
  assert.deepEqual(other.memories, [])
}

export async function checkMcp(installed, programDirectory) {
  const cwd = join(installed, 'mcp')
  mkdirSync(cwd)
  const client = new Client({ name: 'keepsake-packages', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['--no-install', 'keepsake', 'mcp'],
    env: { ...environment({ programDirectory }), npm_config_prefix: installed },
    cwd,
    stderr: 'ignore',
  })
  const options = { timeout: startTimeoutMs }
  await client.connect(transport, options)
  try {
    const { tools } = await client.listTools(undefined, options)
    const names = tools.map(({ name }) => name)
    for (const name of ['store_memory', 'recall_memories']) assert.ok(names.includes(name), names.join(' '))
    const stored = await client.callTool(
      { name: 'store_memory', arguments: { content: 'The ferry leaves at seven.' } },
      options,
    )
    assert.notEqual(stored.isError, true, JSON.stringify(stored))
    const found = await client.callTool(
      { name: 'recall_memories', arguments: { query: 'When does the ferry leave?' } },
      options,
    )
    assert.match(JSON.stringify(found), /leaves at seven/)
  } finally {
    await client.close()
  }
}
