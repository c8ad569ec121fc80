/** Server-sent events out of the bytes of an answer: https://html.spec.whatwg.org/multipage/server-sent-events.html. */
export interface ServerEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

/** More than any event of the service; whoever sends that much without an end is not it. */
const longestBlock = 1024 * 1024

/** Undefined for a sign of life without an event in it. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent | undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += decoder.decode(chunk.value, { stream: true })
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      if (text.length > longestBlock) throw new RangeError('an event without an end')
      yield undefined
      for (const block of blocks) {
        const event = readBlock(block)
        if (event) yield event
      }
    }
  } finally {
    // Also when the caller leaves the loop: the connection ends with it.
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
