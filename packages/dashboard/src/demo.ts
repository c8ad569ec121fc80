/**
 * Stores the same demo year as `keepsake demo`, with the same marks: a run started here can be continued there, and nothing is stored
 * twice. It continues while other pages are open, until the tab is closed.
 */
import { type Keepsake, RateLimitError } from '@keepsake/client'
import { signal } from '@preact/signals'
import { questions } from '../../cli/src/demo/dialogues.ts'
import { type DemoPart, planDemo } from '../../cli/src/demo/plan.ts'
import { changed, notify } from './state.ts'

export type DemoState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly done: number; readonly total: number; readonly waitSeconds: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'done' }

export const demoState = signal<DemoState>({ kind: 'idle' })

const hourMs = 3_600_000
/** A part covers a month or two and takes long to store. */
const partTimeoutMs = 300_000

export async function loadDemo(client: Keepsake): Promise<void> {
  if (demoState.value.kind === 'running') return
  demoState.value = { kind: 'running', done: 0, total: 0, waitSeconds: 0 }
  try {
    const { names, baseMs = Math.floor(Date.now() / hourMs) * hourMs } = await storedParts(client)
    const parts = planDemo(baseMs)
    // Parts are stored in order. If one is there, all earlier ones were stored too, even if they have since expired.
    const next = parts.findLastIndex(({ name }) => names.has(name)) + 1
    const total = parts.length + questions.length
    for (const [at, part] of parts.slice(next).entries()) {
      step(next + at, total)
      await withinLimits(() => storePart(client, part, baseMs))
    }
    for (const [at, question] of next < parts.length ? questions.entries() : []) {
      step(parts.length + at, total)
      await withinLimits(() => client.recall(question, { limit: 5, project: null }))
    }
    demoState.value = { kind: 'done' }
    notify('The demo is loaded')
    changed()
  } catch (error) {
    demoState.value = { kind: 'failed', error }
  }
}

function step(done: number, total: number): void {
  demoState.value = { kind: 'running', done, total, waitSeconds: 0 }
}

async function storedParts(client: Keepsake): Promise<{ names: Set<string>; baseMs?: number }> {
  const names = new Set<string>()
  let found: { baseMs?: number } = {}
  for await (const { metadata } of client.list({ limit: 500, includeExpired: true, project: null })) {
    const { demo_part: name, demo_day: day } = metadata
    if (typeof name !== 'string' || typeof day !== 'string') continue
    names.add(name)
    found = { baseMs: Date.parse(day) }
  }
  return { names, ...found }
}

function storePart(client: Keepsake, { name, project, ttl, messages }: DemoPart, baseMs: number) {
  const metadata = { demo_part: name, demo_day: new Date(baseMs).toISOString(), topic: project ?? 'life' }
  return client.store(messages, { project, ttl, metadata, source: 'demo', timeoutMs: partTimeoutMs })
}

/** A request refused by a rate limit was not processed and can be sent again. */
async function withinLimits<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error
      const waitSeconds = error.retryAfter ?? 5
      if (demoState.value.kind === 'running') demoState.value = { ...demoState.value, waitSeconds }
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000))
    }
  }
}
