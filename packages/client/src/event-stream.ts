/** Parses server-sent events from a response body: https://html.spec.whatwg.org/multipage/server-sent-events.html. */
export interface ServerEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

/** Longer than any event of the service. */
const longestBlock = 1024 * 1024

/** Yields undefined for each chunk received, as a sign that the connection is alive. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent | undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += decoder.decode(chunk.value, { stream: true })
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      if (text.length > longestBlock) throw new RangeError('the event is too long')
      yield undefined
      for (const block of blocks) {
        const event = readBlock(block)
        if (event) yield event
      }
    }
  } finally {
    // Also runs when the caller leaves the loop, and then closes the connection.
    await reader.cancel().catch(() => undefined)
  }
}

function readBlock(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value)
  }
  const data = fields.get('data')
  return data === undefined ? undefined : { id: fields.get('id'), type: fields.get('event') ?? 'message', data }
}
