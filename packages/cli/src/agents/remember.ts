/**
 * Stores what a turn said, as a process of its own: `node dist/agents/remember.js`, with the payload on standard input. It may wait
 * for the service to start; no agent waits for it.
 */
import { isProgram } from './as-program.js'
import { placeIn, type Service, serviceOf, settingsIn } from './place.js'
import { RefusedError, sendJson } from './request.js'
import { startService } from './start.js'
import { readAll } from './stdin.js'
import { learnedFrom } from './words.js'

export interface Turn {
  readonly session: string
  readonly project?: string
  readonly prompts: readonly { readonly text: string; readonly id: string }[]
}

const waitMs = 90_000
/** A repeated request with the same key is answered from a record, so a retry stores nothing twice. */
const attempts = 3

if (isProgram(import.meta.url)) await run()

async function run(): Promise<void> {
  // The payload is what the hook next to this file has written.
  const turn = JSON.parse(await readAll(process.stdin)) as Turn
  const requests = turn.prompts.flatMap((prompt) => requestsFor(turn, prompt))
  if (requests.length === 0) return
  const service = await untilRunning()
  if (service === undefined) return
  for (const { id, body } of requests) await store(service, id, { ...body, user_id: service.user })
}

function requestsFor({ session, project }: Turn, { text, id }: Turn['prompts'][number]) {
  const { own, project: work } = learnedFrom(text)
  const parts = project === undefined ? [{ said: [...own, ...work] }] : [{ said: own }, { said: work, project }]
  return parts
    .filter(({ said }) => said.length > 0)
    .map(({ said, ...scope }) => ({
      id: `agent-${id}-${'project' in scope ? 'project' : 'own'}`,
      body: {
        ...scope,
        messages: said.map((content) => ({ role: 'user', content })),
        source: 'agent',
        conversation_id: session,
      },
    }))
}

async function store(service: Service, id: string, body: object): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sendJson(service, {
        method: 'POST',
        path: '/api/v1/store',
        body,
        headers: { 'idempotency-key': id },
        timeoutMs: 30_000,
      })
      return
    } catch (error) {
      // A text that the service rejects is rejected again. An overloaded or restarting service may take it later.
      const isFinal = error instanceof RefusedError && error.status < 500 && error.status !== 429
      if (isFinal || attempt === attempts) return
      await new Promise((resolve) => setTimeout(resolve, attempt * 1000))
    }
  }
}

async function untilRunning(): Promise<Service | undefined> {
  const place = placeIn(process.env)
  for (const end = Date.now() + waitMs; Date.now() < end; ) {
    const settings = settingsIn(place)
    if (settings === undefined) return undefined
    const service = serviceOf(place, settings)
    if (service !== undefined) return service
    startService(place)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return undefined
}
