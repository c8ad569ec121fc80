/**
 * The floor: the minimum that could answer the same requests. It uses the same embedder and the same vectors, all in
 * memory, compared one after the other in plain code. It stores nothing on disk and has no words, entities, versions,
 * keys or limits. `main.ts` runs it as a separate process: `floor-server.ts <scenario> <centres file>`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { asRecord } from '../http-client.js'
import { parseScenario, type Scenario, sentenceNumber, userId } from './scenario.js'
import { readCentres } from './seed.js'
import { sentence } from './sentences.js'
import { type Centres, syntheticVector } from './vectors.js'

interface Shelf {
  matrix: Float32Array
  readonly contents: string[]
}

async function run(): Promise<void> {
  const [scenarioName = '', centresFile = ''] = process.argv.slice(2)
  const centres = await readCentres(centresFile)
  if (!centres) throw new Error('the file with the centres is missing')
  const shelves = fill(parseScenario(scenarioName), centres)
  const embedder = await openLocalEmbedder()

  async function embed(text: string): Promise<{ vector: Float32Array; embedMs: number }> {
    const start = performance.now()
    const [vector] = await embedder.embed([text])
    if (!vector) throw new Error('no vector')
    return { vector, embedMs: performance.now() - start }
  }

  async function answer(path: string, body: Record<string, unknown>): Promise<{ result: object; embedMs: number }> {
    const user = String(body.user_id)
    if (path === '/api/v1/store') {
      const content = String(body.content)
      const { vector, embedMs } = await embed(content)
      append(shelves, user, content, vector)
      return { result: { status: 'success' }, embedMs }
    }
    const { vector, embedMs } = await embed(String(body.query))
    return { result: { memories: nearest(shelves.get(user), vector, Number(body.limit ?? 10)) }, embedMs }
  }

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/readyz') return reply(response, '{}')
    // It has no index whose size it could report.
    if (path === '/metrics') return reply(response, '')
    readBody(request)
      .then((text) => answer(path, asRecord(JSON.parse(text), path)))
      .then(({ result, embedMs }) => {
        response.setHeader('server-timing', `embed;dur=${embedMs.toFixed(3)}`)
        reply(response, JSON.stringify(result))
      })
      .catch((error: unknown) => {
        response.statusCode = 500
        reply(response, String(error))
      })
  })
  process.once('SIGTERM', () => process.exit(0))
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}/api/v1`)
  })
}

function fill(scenario: Scenario, centres: Centres): Map<string, Shelf> {
  const shelves = new Map<string, Shelf>()
  for (let user = 0; user < scenario.users; user++) {
    const shelf: Shelf = { matrix: new Float32Array(scenario.memoriesPerUser * centres.dimensions), contents: [] }
    for (let memory = 0; memory < scenario.memoriesPerUser; memory++) {
      const number = sentenceNumber(scenario, user, memory)
      const { text, template } = sentence(number)
      shelf.matrix.set(syntheticVector(centres, template, number), memory * centres.dimensions)
      shelf.contents.push(text)
    }
    shelves.set(userId(scenario, user), shelf)
  }
  return shelves
}

function append(shelves: Map<string, Shelf>, user: string, content: string, vector: Float32Array): void {
  const shelf = shelves.get(user) ?? { matrix: new Float32Array(0), contents: [] }
  const end = shelf.contents.length * vector.length
  if (end + vector.length > shelf.matrix.length) {
    const grown = new Float32Array(Math.max(end * 2, vector.length * 16))
    grown.set(shelf.matrix)
    shelf.matrix = grown
  }
  shelf.matrix.set(vector, end)
  shelf.contents.push(content)
  shelves.set(user, shelf)
}

function nearest(shelf: Shelf | undefined, query: Float32Array, limit: number) {
  const best: { row: number; score: number }[] = []
  if (!shelf) return best
  const { matrix, contents } = shelf
  for (let row = 0, offset = 0; row < contents.length; row++, offset += query.length) {
    const score = dot(matrix, offset, query)
    if (best.length === limit && score <= (best[limit - 1]?.score ?? 0)) continue
    const place = best.findIndex((other) => other.score < score)
    best.splice(place < 0 ? best.length : place, 0, { row, score })
    if (best.length > limit) best.pop()
  }
  return best.map(({ row, score }) => ({ content: contents[row], score }))
}

/** Four independent sums, so that the processor does not wait for one addition before it starts the next. */
function dot(matrix: Float32Array, offset: number, query: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let index = 0; index < query.length; index += 4) {
    const place = offset + index
    first += (matrix[place] ?? 0) * (query[index] ?? 0)
    second += (matrix[place + 1] ?? 0) * (query[index + 1] ?? 0)
    third += (matrix[place + 2] ?? 0) * (query[index + 2] ?? 0)
    fourth += (matrix[place + 3] ?? 0) * (query[index + 3] ?? 0)
  }
  return first + second + third + fourth
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
  })
}

function reply(response: ServerResponse, text: string): void {
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}

run().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
