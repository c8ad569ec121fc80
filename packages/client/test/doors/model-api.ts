/**
 * OpenAI's API on this machine, with a model that follows a script: it recalls when it is asked a question and has the tool, stores what
 * it is told to remember, and otherwise repeats its notes. The package that calls it is the real one.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fields = Readonly<Record<string, unknown>>

export interface ModelApi {
  /** Up to `/v1`. */
  readonly url: string
  /** The bodies of all requests, in order. */
  readonly requests: Fields[]
  close(): Promise<void>
}

/** What the model answers to one request: a text, or the call of a tool. */
type Answer = { readonly text: string } | { readonly name: string; readonly input: object }

export async function startModelApi(): Promise<ModelApi> {
  const requests: Fields[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Fields
    requests.push(body)
    const write = request.url === '/v1/responses' ? responsesAnswer : chatAnswer
    const { type, text } = write(answerTo(body), body.stream === true)
    response.writeHead(200, { 'content-type': type }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/* ------------------------------------------------------------------ the script */

/** The messages of either API. */
export function messagesIn({ messages, input }: Fields): Fields[] {
  return (messages ?? input ?? []) as Fields[]
}

export function textOf({ content }: Fields): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: Fields) => part.text ?? '').join('') : ''
}

function answerTo(body: Fields): Answer {
  const messages = messagesIn(body)
  const last = messages.at(-1) ?? {}
  const tools = ((body.tools ?? []) as { name?: string; function?: Fields }[]).map(
    (tool) => tool.name ?? tool.function?.name,
  )
  const result = last.role === 'tool' ? textOf(last) : last.type === 'function_call_output' ? String(last.output) : ''
  if (result !== '') return { text: `I remember: ${firstContent(result)}` }
  const words = textOf(last)
  if (tools.includes('store_memory') && /^Remember /.test(words)) {
    return { name: 'store_memory', input: { content: 'The user plays the cello.', userId: 'somebody else' } }
  }
  if (tools.includes('recall_memories')) {
    return { name: 'recall_memories', input: { query: words, limit: words.includes('badly') ? 'many' : null } }
  }
  const notes = messages.map(textOf).find((text) => /^Notes from earlier/.test(text)) ?? ''
  return { text: `I remember: ${/\] (.*)/.exec(notes)?.[1] ?? 'nothing'}` }
}

/** Of the result of a tool: the first memory, or the error that the model hears of. */
function firstContent(result: string): string {
  const { memories, error } = JSON.parse(result) as { memories?: { content: string }[]; error?: string }
  return error ?? memories?.[0]?.content ?? 'nothing'
}

/* ------------------------------------------------------------------ Chat Completions */

function chatAnswer(answer: Answer, isStream: boolean) {
  const call = 'name' in answer ? [{ id: 'call_1', type: 'function', function: calledIn(answer) }] : undefined
  const message = { role: 'assistant', content: 'text' in answer ? answer.text : null, refusal: null }
  const common = { id: 'chatcmpl-1', created: 1_780_000_000, model: 'gpt-5' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const finish_reason = call ? 'tool_calls' : 'stop'
  if (!isStream) {
    const whole = { ...message, ...(call ? { tool_calls: call } : {}) }
    const choices = [{ index: 0, message: whole, finish_reason, logprobs: null }]
    return asJson({ ...common, object: 'chat.completion', choices, usage })
  }
  const delta = { ...message, ...(call ? { tool_calls: call.map((each) => ({ index: 0, ...each })) } : {}) }
  const chunk = (choice: object) => ({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })
  return asEvents([
    chunk({ delta, finish_reason: null }),
    chunk({ delta: {}, finish_reason }),
    { ...common, object: 'chat.completion.chunk', choices: [], usage },
  ])
}

function calledIn({ name, input }: { readonly name: string; readonly input: object }) {
  return { name, arguments: JSON.stringify(input) }
}

/* ------------------------------------------------------------------ Responses */

function responsesAnswer(answer: Answer, isStream: boolean) {
  const item =
    'name' in answer
      ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed', ...calledIn(answer) }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }],
        }
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }
  const response = {
    ...{ id: 'resp_1', object: 'response', created_at: 1_780_000_000, model: 'gpt-5', status: 'completed' },
    ...{ error: null, incomplete_details: null, service_tier: 'default', output: [item], usage },
  }
  if (!isStream) return asJson(response)
  const words = 'text' in answer ? answer.text.split(/(?<= )/) : []
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    ...words.map((delta) => ({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  return asEvents(events.map((event, sequence_number) => ({ sequence_number, content_index: 0, ...event })))
}

function asJson(answer: object) {
  return { type: 'application/json', text: JSON.stringify(answer) }
}

function asEvents(events: readonly object[]) {
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
  return { type: 'text/event-stream', text: `${lines.join('')}data: [DONE]\n\n` }
}
