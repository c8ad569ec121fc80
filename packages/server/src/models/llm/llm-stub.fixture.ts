/**
 * A language model behind HTTP for tests: one that follows its instructions by rule for any text, or one that fails as
 * a test requires.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface StubQuestion {
  readonly path: string
  readonly authorization: string | undefined
  readonly model: string
  readonly format: string | undefined
  readonly temperature: number | undefined
  readonly system: string
  /** The question as data: `{sentences}` or `{new, known}`. */
  readonly data: AskedToRead | AskedToReconcile
}

interface AskedToRead {
  readonly sentences: readonly {
    readonly n: number
    readonly speaker: string
    readonly said: string
    readonly text: string
  }[]
}

interface AskedToReconcile {
  readonly new: readonly { readonly n: number; readonly text: string }[]
  readonly known: readonly { readonly n: number; readonly text: string }[]
}

export type StubAnswer = (question: StubQuestion, response: ServerResponse, call: number) => void

/** A chat completion whose message is this text. */
export const says = (content: string): StubAnswer => {
  return (_, response) => {
    const completion = { object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content } }] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
  }
}

export const saysJson = (value: unknown): StubAnswer => says(JSON.stringify(value))

export const status = (code: number, headers: Record<string, string> = {}): StubAnswer => {
  return (_, response) => response.writeHead(code, headers).end('{"error":{"message":"no"}}')
}

export const hangs: StubAnswer = () => undefined

export const hangsUp: StubAnswer = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"choices":[')
  response.socket?.end()
}

/** Never finishes its answer. */
export const endless: StubAnswer = (_, response) => {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write('{"choices":'.repeat(5_000)));
  }
  response.on('drain', more)
  more()
}

/**
 * Follows its instructions: each sentence becomes a memory, and a sentence that depends on the previous one is joined
 * to it.
 */
export const good: StubAnswer = (question, response, call) => {
  const { data } = question
  if (!('sentences' in data)) return saysJson({ pairs: [] })(question, response, call)
  const memories: { text: string; speaker: string; sentences: number[] }[] = []
  for (const { n, speaker, text } of data.sentences) {
    const last = memories.at(-1)
    if (last && last.speaker === speaker && leans.test(text)) {
      last.text += ` ${text}`
      last.sentences.push(n)
    } else memories.push({ text, speaker, sentences: [n] })
  }
  saysJson({
    memories: memories.map(({ text, sentences }) => ({ text, sentences, entities: [], relationships: [] })),
  })(question, response, call)
}

const leans = /^(?:he|she|it|they|this|that|his|her|their|its|and|but|so|also|then|there)\b|^\S+(?: \S+)?$/i

/** Fails differently on each call. */
export const broken: StubAnswer = (question, response, call) => {
  const faults: readonly StubAnswer[] = [
    says('I would rather not.'),
    says('```json\n{"memories": [{"text": "Elvis lives on Mars since 1977", "sentences": [99]}]}\n```'),
    saysJson({ memories: [], pairs: [{ new: 1, known: 77, relation: 'replaces' }] }),
    saysJson({ memories: 'many', pairs: 7 }),
    hangsUp,
    status(401),
    status(500),
    says('{"memories": [{"text": "cut o'),
  ]
  ;(faults[call % faults.length] ?? hangs)(question, response, call)
}

export interface LlmStub {
  readonly baseUrl: string
  readonly asked: StubQuestion[]
  /** Sets the answer from now on. */
  answer(answer: StubAnswer): void
  /** Resolves when this many questions have arrived in total. */
  askedTimes(count: number): Promise<void>
  close(): Promise<void>
}

/** One answer per call, in order; the last one is repeated. */
export async function startLlmStub(...answers: StubAnswer[]): Promise<LlmStub> {
  const asked: StubQuestion[] = []
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let current = answers
  let first = 0
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request))
    const question: StubQuestion = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      model: body.model,
      format: body.response_format?.type,
      temperature: body.temperature,
      system: body.messages[0].content,
      data: JSON.parse(body.messages[1].content),
    }
    const call = asked.push(question)
    const answer = current[Math.min(call - first, current.length) - 1] ?? good
    waiting = waiting.filter(({ count, resolve }) => call < count || resolve())
    answer(question, response, call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    answer(answer) {
      current = [answer]
      first = asked.length
    },
    askedTimes: (count) =>
      new Promise((resolve) => {
        if (asked.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
