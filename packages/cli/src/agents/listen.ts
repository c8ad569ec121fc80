/** Passes one `subscriptions/listen` on: its answer is a stream of messages that stays open. */
import { createInterface } from 'node:readline'
import type { Service } from './place.js'
import type { Sent } from './request.js'

/** How long the service has to answer. The stream itself has no end. */
const answerTimeoutMs = 120_000

/** Calls `hear` for each message until the service or `signal` ends the stream. Rejects if the service refuses, or cannot be reached. */
export async function listen(
  { url, apiKey }: Pick<Service, 'url' | 'apiKey'>,
  { path, body, headers }: Pick<Sent, 'path' | 'body' | 'headers'>,
  signal: AbortSignal,
  hear: (message: unknown) => void,
): Promise<void> {
  const target = new URL(`${url}${path}`)
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const outgoing = request(target, {
    method: 'POST',
    agent: false,
    signal,
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
  })
  try {
    const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve)
      outgoing.once('error', reject)
      outgoing.setTimeout(answerTimeoutMs, () => outgoing.destroy(new Error('the service did not answer')))
      outgoing.end(JSON.stringify(body))
    })
    if (incoming.statusCode !== 200) throw new Error(`the service answered ${incoming.statusCode}`)
    // A refusal by the protocol is one message, and no stream.
    const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') ?? false
    for await (const line of createInterface({ input: incoming, crlfDelay: Infinity })) {
      if (!isStream && line !== '') hear(JSON.parse(line))
      if (isStream && line.startsWith('data:') && line.length > 6) hear(JSON.parse(line.slice(5)))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    outgoing.destroy()
  }
}
