/** Callers that store, update and delete concurrently until the service is gone. */
import { type Answer, accepted, type HttpClient } from '../http-client.js'
import { pick, type Random } from '../random.js'
import { acknowledge, type Kept, type Ledger, type Operation, type Problem, type Sentence } from './ledger.js'

export interface Writers {
  /** Resolves with the first acknowledgement, or when there will be none. */
  readonly acknowledgedOnce: Promise<void>
  /** From now on a broken connection is expected, and nothing new is sent. */
  expectEnd(): void
  /** Resolves when every writer has stopped. */
  readonly ended: Promise<Problem[]>
  /** Number of 503 answers so far, where they are expected. */
  refused(): number
  /** Milliseconds (of `performance.now`) of each acknowledgement. */
  readonly acknowledgedAt: readonly number[]
}

export interface WriterOptions {
  readonly count: number
  /** A 503 is not a problem: the writer continues after a moment. The outcome of that write is determined later. */
  readonly expectRefusals?: boolean
  /** How long that moment is. */
  readonly pauseAfterRefusalMs?: number
}

const usualPauseMs = 20

/** Half of the writers share one user, so that writes of one user overlap; each of the others has a separate user. */
export function userOf(writer: number): string {
  return writer % 2 === 0 ? 'shared' : `writer-${writer}`
}

export function startWriters(client: HttpClient, ledger: Ledger, random: Random, options: WriterOptions): Writers {
  const problems: Problem[] = []
  const acknowledgedAt: number[] = []
  let refused = 0
  let ending = false
  let report: () => void = () => undefined
  const acknowledgedOnce = new Promise<void>((resolve) => {
    report = resolve
  })

  async function write(writer: number): Promise<void> {
    while (!ending) {
      const operation = nextOperation(ledger, random, writer)
      ledger.inFlight.add(operation)
      try {
        const answer = await send(client, ledger, operation)
        if (isRefusal(answer) && options.expectRefusals) {
          refused += 1
          await new Promise((resolve) => setTimeout(resolve, options.pauseAfterRefusalMs ?? usualPauseMs))
          continue
        }
        problems.push(...acknowledge(ledger, operation, accepted(answer, operation.kind)))
        ledger.inFlight.delete(operation)
        acknowledgedAt.push(performance.now())
        report()
      } catch (error) {
        // After the kill a broken connection says nothing about the write: it stays in flight.
        if (ending) return
        problems.push({ kind: 'refused', text: String(error) })
        return
      }
    }
  }

  const writers = Array.from({ length: options.count }, (_, writer) => write(writer))
  const ended = Promise.all(writers).then(() => {
    report()
    return problems
  })
  return {
    acknowledgedOnce,
    ended,
    acknowledgedAt,
    refused: () => refused,
    expectEnd: () => {
      ending = true
    },
  }
}

function isRefusal({ status }: Answer): boolean {
  return status === 503
}

function send(client: HttpClient, ledger: Ledger, operation: Operation) {
  switch (operation.kind) {
    case 'store':
      return client.send('POST', '/api/v1/store', {
        user_id: operation.userId,
        content: operation.sentences.map(({ text }) => text).join(' '),
      })
    case 'update':
      return client.send('PUT', `/api/v1/memories/${operation.memoryId}`, { content: operation.sentence.text })
    case 'mark':
      return client.send('PUT', `/api/v1/memories/${operation.memoryId}`, { metadata: { mark: operation.mark } })
    case 'delete':
      return client.send('DELETE', '/api/v1/memories', {
        memory_ids: [operation.memoryId],
        user_id: ledger.kept.get(operation.memoryId)?.userId,
      })
  }
}

/**
 * Seven in ten are stores, every third of them with several sentences; the rest update and delete the writer's own
 * memories. Most of these wait for the embedder, so every third writer mainly changes metadata, which does not need it:
 * this keeps commits going, so that a kill hits the middle of one more often.
 */
function nextOperation(ledger: Ledger, random: Random, writer: number): Operation {
  const own = ownMemory(ledger, random, writer)
  if (own && writer % 3 === 2 && random() < 0.9) return { kind: 'mark', memoryId: own.id, mark: newToken(random) }
  const dice = random()
  if (own && dice < 0.12) return { kind: 'delete', memoryId: own.id }
  if (own && dice < 0.3) return { kind: 'update', memoryId: own.id, sentence: newSentence(random) }
  const length = random() < 0.33 ? 2 + Math.floor(random() * 3) : 1
  const sentences = Array.from({ length }, () => newSentence(random))
  return { kind: 'store', writer, userId: userOf(writer), sentences }
}

/** No other writer writes to it, and none of its writes is pending, so its expected state is known. */
function ownMemory(ledger: Ledger, random: Random, writer: number): Kept | undefined {
  const uncertain = new Set([...ledger.inFlight].map((operation) => 'memoryId' in operation && operation.memoryId))
  const own = [...ledger.kept.values()].filter((memory) => memory.writer === writer && !uncertain.has(memory.id))
  return own.length === 0 ? undefined : pick(random, own)
}

const sentencesAround: readonly ((token: string) => string)[] = [
  (token) => `The parcel ${token} arrived on Tuesday.`,
  (token) => `Recipe ${token} needs two eggs and some flour.`,
  (token) => `The old boat ${token} was painted green again.`,
  (token) => `Song ${token} was played at the wedding.`,
  (token) => `The hiking trail ${token} is closed in winter.`,
]

function newSentence(random: Random): Sentence {
  const token = newToken(random)
  return { token, text: pick(random, sentencesAround)(token) }
}

/** A pronounceable word, so that neither the guard nor the tokenizer treats it specially. */
function newToken(random: Random): string {
  return Array.from({ length: 6 }, () => pick(random, [...'bdfgklmnprtvz']) + pick(random, [...'aiou'])).join('')
}
