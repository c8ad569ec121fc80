/**
 * A language model behind an OpenAI-compatible service (`POST {baseUrl}/chat/completions`), if the operator configures
 * one. It gets no tools, and its answer is untrusted until it has been parsed here and checked by the caller.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parsedJson } from '../../core/parsed-json.js'
import {
  type Answered,
  type Failure,
  failure,
  postOnce,
  type RemoteEndpoint,
  waitAfter,
} from '../runtime/remote-call.js'
import { Turns } from '../runtime/turns.js'
import { type LanguageModel, LanguageModelFailure, type Question } from './llm.js'

export interface RemoteLanguageModelOptions {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
  readonly fetch?: typeof fetch
  /** Waits between attempts; rejects when the signal aborts. Tests skip the wait. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly maxWaiting?: number
}

const maxTries = 3
const concurrentRequests = 4
/** The longest valid answer to the longest question is far smaller. */
const maxResponseBytes = 500_000

/**
 * Ways to request an answer of the right shape. Services support only some of these and answer 400 (some 422) to the
 * others: then the next one is tried, and the first that works is kept. Some models accept only their default
 * temperature.
 */
const manners = ['schema', 'object', 'plain', 'bare'] as const
type Manner = (typeof manners)[number]

export function openRemoteLanguageModel(options: RemoteLanguageModelOptions): LanguageModel {
  return new RemoteLanguageModel(options)
}

class RemoteLanguageModel implements LanguageModel {
  readonly modelId: string
  private readonly endpoint: RemoteEndpoint
  private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  private readonly turns = new Turns(concurrentRequests)
  private readonly closing = new AbortController()
  private known: Manner | undefined
  private unanswered = 0

  constructor(private readonly options: RemoteLanguageModelOptions) {
    this.modelId = options.model
    this.endpoint = {
      url: `${options.baseUrl.replace(/(?<!\/)\/+$/, '')}/chat/completions`,
      apiKey: options.apiKey,
      maxResponseBytes,
      fetch: options.fetch ?? fetch,
    }
    this.wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }))
  }

  async complete(question: Question, budgetMs: number): Promise<unknown> {
    const limit = this.options.maxWaiting ?? 100
    if (this.turns.waitingCount >= limit) throw failed(failure(`more than ${limit} questions are waiting`, true))
    if (budgetMs <= 0) throw failed(failure('no time is left', true))
    const endsAt = performance.now() + budgetMs
    // Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect that timeout as garbage, and then it never fires.
    const controller = new AbortController()
    const { signal } = controller
    const abort = () => controller.abort()
    const timer = setTimeout(abort, Math.ceil(budgetMs))
    if (this.closing.signal.aborted) abort()
    else this.closing.signal.addEventListener('abort', abort, { once: true })
    this.unanswered += 1
    try {
      return await this.turns.take(() => this.ask(question, endsAt, signal), signal)
    } catch (error) {
      if (error instanceof LanguageModelFailure) throw error
      if (!signal.aborted) throw error
      throw failed(failure(this.closing.signal.aborted ? 'the service is stopping' : 'it did not answer in time', true))
    } finally {
      clearTimeout(timer)
      this.closing.signal.removeEventListener('abort', abort)
      this.unanswered -= 1
    }
  }

  queueLength(): number {
    return this.unanswered
  }

  async close(): Promise<void> {
    this.closing.abort()
  }

  private async ask(question: Question, endsAt: number, signal: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.inSomeManner(question, signal)
      if (answer.kind === 'body') return readAnswer(answer.text)
      signal.throwIfAborted()
      if (!answer.mayPass || attempt === maxTries) throw failed(answer)
      const waitMs = waitAfter(attempt, answer)
      // Waiting beyond the budget would only hold up the caller.
      if (performance.now() + waitMs >= endsAt) throw failed(answer)
      await this.wait(waitMs, signal)
    }
  }

  private async inSomeManner(question: Question, signal: AbortSignal): Promise<Answered> {
    if (this.known) return postOnce(this.endpoint, this.bodyOf(question, this.known), signal)
    let refused: Failure = failure('it rejects every supported request format', false)
    for (const manner of manners) {
      const answer = await postOnce(this.endpoint, this.bodyOf(question, manner), signal)
      if (answer.kind === 'body') this.known = manner
      if (answer.kind === 'body' || (answer.status !== 400 && answer.status !== 422)) return answer
      refused = answer
    }
    return refused
  }

  private bodyOf({ name, instructions, data, schema }: Question, manner: Manner): object {
    const format = {
      schema: { type: 'json_schema', json_schema: { name, strict: true, schema } },
      object: { type: 'json_object' },
      plain: undefined,
      bare: undefined,
    }[manner]
    const shape = `\nAnswer with one JSON object and nothing else. It fits this JSON schema:\n${JSON.stringify(schema)}`
    return {
      model: this.options.model,
      stream: false,
      messages: [
        { role: 'system', content: manner === 'schema' ? instructions : instructions + shape },
        { role: 'user', content: data },
      ],
      ...(manner === 'bare' ? {} : { temperature: 0 }),
      ...(format ? { response_format: format } : {}),
    }
  }
}

const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]).rest(z.unknown()),
})

function readAnswer(body: string): unknown {
  const read = completion.safeParse(parsedJson(body))
  if (!read.success) throw failed(failure('its answer is not a chat completion', false))
  const value = parsedJson(withoutFence(read.data.choices[0].message.content))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw failed(failure('its answer is not JSON', false))
  return value
}

/** Models often wrap JSON in a code fence, with text before and after it. */
function withoutFence(content: string): string {
  const [first, last] = [content.indexOf('{'), content.lastIndexOf('}')]
  return first === -1 || last < first ? content : content.slice(first, last + 1)
}

function failed({ reason }: Failure): LanguageModelFailure {
  return new LanguageModelFailure(`The language model failed: ${reason}`)
}
