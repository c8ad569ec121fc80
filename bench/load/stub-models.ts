/**
 * An OpenAI-compatible server for peers that need one. Embeddings come from Keepsake's own local model, so that all
 * systems pay the same for them; the language model answers that it found nothing to extract. Prints its address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'

const embedder = await openLocalEmbedder()

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
}

async function embeddings(body: Record<string, unknown>): Promise<object> {
  const texts = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)]
  const vectors = await embedder.embed(texts)
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    // The client library requests base64 by default, and accepts both.
    embedding:
      body.encoding_format === 'base64'
        ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
        : [...vector],
  }))
  return { object: 'list', data, model: String(body.model), usage: { prompt_tokens: 0, total_tokens: 0 } }
}

function completion(body: Record<string, unknown>): object {
  const content = JSON.stringify({ facts: [], memory: [] })
  const message = { role: 'assistant', content }
  return {
    id: 'stub',
    object: 'chat.completion',
    created: 0,
    model: String(body.model),
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/readyz') return void response.end('{}')
  const body = await bodyOf(request)
  const said = request.url?.endsWith('/embeddings') ? await embeddings(body) : completion(body)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(said))
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') console.log(`http://127.0.0.1:${address.port}/api/v1`)
})
