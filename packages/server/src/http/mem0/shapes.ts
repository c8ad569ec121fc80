/** Texts, times and memories between the shapes of mem0 and those of the API. */
import { msPerHour } from '../../core/clock.js'
import { invalid } from '../../core/errors.js'
import { parseTimestamp } from '../body/timestamp.js'
import { labels } from './filters.js'

type Fields = Readonly<Record<string, unknown>>

/** A text, or messages whose contents may be lists of texts. */
export function textOf(messages: string | readonly { readonly role: string; readonly content?: unknown }[]): Fields {
  if (typeof messages === 'string') return { content: messages }
  return {
    messages: messages.map(({ content, ...message }, index) => ({
      ...message,
      content: contentOf(content, `messages[${index}].content`),
    })),
  }
}

function contentOf(content: unknown, path: string): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : [content]
  const texts = parts.map((part: unknown) => {
    const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown }
    if (type !== 'text' || typeof text !== 'string')
      throw invalid(path, 'must be text: images and files are not supported')
    return text
  })
  return texts.join('\n')
}

/** The TTL until the end of a day, or until a moment; null: permanent. */
export function ttlUntil(date: string | null, now: number): string {
  if (date === null) return 'permanent'
  const end = /^\d{4}-\d{2}-\d{2}$/.test(date) ? parseTimestamp(`${date}T23:59:59Z`) : parseTimestamp(date)
  if (end === undefined) throw invalid('expiration_date', 'must be a date, such as 2030-12-31')
  if (end <= now) throw invalid('expiration_date', 'must be in the future')
  return `${Math.ceil((end - now) / msPerHour)}h`
}

type Labelled = { readonly [label in (typeof labels)[number]]?: string | undefined }

/** The labels of a request as metadata. */
export function labelMetadata(given: Labelled): Fields {
  return Object.fromEntries(labels.flatMap((label) => (given[label] === undefined ? [] : [[label, given[label]]])))
}

const isLabel = (key: string) => labels.some((label) => label === key)

/** The labels among the metadata: an update keeps them. */
export function keptMetadata(metadata: unknown): Fields {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => isLabel(key)))
}

/** A memory of the API as mem0 shows it. */
export function mem0Memory(memory: Fields, userId: unknown): Record<string, unknown> {
  const metadata = Object.entries(memory.metadata ?? {})
  const own = metadata.filter(([key]) => !isLabel(key))
  const kept = new Map(metadata)
  return {
    id: memory.id,
    memory: memory.content,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...Object.fromEntries(labels.map((label) => [label, kept.get(label) ?? null])),
    metadata: own.length === 0 ? null : Object.fromEntries(own),
    categories: [],
    ...(memory.checksum === undefined ? {} : { hash: memory.checksum }),
    ...(typeof memory.score === 'number' ? { score: memory.score } : {}),
    created_at: memory.created_at,
    ...(memory.updated_at === undefined ? {} : { updated_at: memory.updated_at }),
    expiration_date: memory.expires_at ?? null,
  }
}

/** Each version as a change from the one before. */
export function mem0History(memoryId: string, userId: unknown, versions: readonly Fields[]): Fields[] {
  return versions.map((version, index) => ({
    id: `${memoryId}:${String(version.version)}`,
    memory_id: memoryId,
    ...(userId === undefined ? {} : { user_id: userId }),
    event: index === 0 ? 'ADD' : 'UPDATE',
    old_memory: index === 0 ? null : versions[index - 1]?.content,
    new_memory: version.content,
    input: [],
    categories: [],
    metadata: version.metadata,
    created_at: version.valid_from,
    updated_at: version.valid_from,
  }))
}
