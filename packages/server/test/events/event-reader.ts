/** Reads server-sent events block by block, as a browser does. */
export interface Block {
  readonly id?: string
  readonly event?: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface Reader {
  readonly contentType: string | null
  /** The next block with data. Rejects if the stream ends first. */
  next(): Promise<Block>
  /** Everything received so far. */
  text(): string
  readonly ended: Promise<void>
  close(): Promise<void>
}

export async function startReading(url: string, headers: Readonly<Record<string, string>>): Promise<Reader> {
  const gone = new AbortController()
  const answer = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: gone.signal })
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status} ${await answer.text()}`)
  const blocks: Block[] = []
  const waiting: { resolve(block: Block): void; reject(error: Error): void }[] = []
  let hasEnded = false
  let text = ''
  let read = 0
  const take = (): void => {
    for (let end = text.indexOf('\n\n', read); end >= 0; end = text.indexOf('\n\n', read)) {
      const block = parse(text.slice(read, end))
      read = end + 2
      if (block.data === undefined) continue
      const waiter = waiting.shift()
      if (waiter) waiter.resolve(block)
      else blocks.push(block)
    }
  }
  const ended = (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true })
        take()
      }
    } catch (error) {
      if (!gone.signal.aborted) throw error
    } finally {
      hasEnded = true
      for (const { reject } of waiting.splice(0)) reject(new Error('the stream has ended'))
    }
  })()
  // Not every test waits for the end.
  ended.catch(() => undefined)
  return {
    contentType: answer.headers.get('content-type'),
    next: () =>
      new Promise((resolve, reject) => {
        const block = blocks.shift()
        if (block) resolve(block)
        else if (hasEnded) reject(new Error('the stream has ended'))
        else waiting.push({ resolve, reject })
      }),
    text: () => text,
    ended,
    async close() {
      gone.abort()
      await ended
    },
  }
}

function parse(text: string): Block {
  const fields = Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const { id, event, data } = fields
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(data === undefined ? {} : { data: JSON.parse(data) as Record<string, unknown> }),
  }
}
