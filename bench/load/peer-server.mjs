/**
 * Another memory system behind the two routes that the load bench uses, so that all systems get the same requests. A
 * library has no server, so this adds the minimum that one would have: Node's own HTTP server and JSON.
 *
 * Arguments: the peer, the folder where it is installed, a folder for its data, the address of the model stub.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [, , name, installed, data, models] = process.argv
const require = createRequire(join(installed, 'package.json'))

function openMem0() {
  const { Memory } = require('mem0ai/oss')
  const openai = { apiKey: 'none', baseURL: `${models}/v1` }
  const memory = new Memory({
    embedder: { provider: 'openai', config: { ...openai, model: 'stub', embeddingDims: 384 } },
    llm: { provider: 'openai', config: { ...openai, model: 'stub' } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'bench', dimension: 384, dbPath: join(data, 'vectors.db') },
    },
    historyDbPath: join(data, 'history.db'),
  })
  return {
    // Stored unchanged: processing by a language model is not part of the measurement.
    store: ({ content, user_id: userId }) => memory.add([{ role: 'user', content }], { userId, infer: false }),
    recall: ({ query, user_id: userId, limit }) => memory.search(query, { filters: { user_id: userId }, topK: limit }),
  }
}

/**
 * This server has no users: each user becomes an entity, and the user's memories become observations of that entity.
 */
function openReferenceServer() {
  const entry = join(installed, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, MEMORY_FILE_PATH: join(data, 'memory.jsonl') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const waiting = new Map()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error || message.result?.isError) asked?.reject(new Error(line.slice(0, 300)))
    else asked?.resolve(message.result)
  })
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
    })
  const call = (tool, given) => ask('tools/call', { name: tool, arguments: given })
  const known = new Set()
  const ready = ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }).then(() => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`))
  return {
    async store({ content, user_id: user }) {
      await ready
      if (known.has(user)) {
        return call('add_observations', { observations: [{ entityName: user, contents: [content] }] })
      }
      known.add(user)
      return call('create_entities', { entities: [{ name: user, entityType: 'user', observations: [content] }] })
    },
    async recall({ query }) {
      await ready
      return call('search_nodes', { query })
    },
  }
}

const peer = name === 'mem0' ? openMem0() : openReferenceServer()

async function answer(request, response) {
  if (request.url === '/readyz') return response.end('{}')
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const said = request.url.endsWith('/store') ? await peer.store(body) : await peer.recall(body)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(said))
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    response.writeHead(500).end(String(error))
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/api/v1`))
