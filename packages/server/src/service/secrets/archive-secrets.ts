/**
 * Removes secrets from the records of an archive. Records refer to each other, and a memory comes before its versions, so all records are
 * surveyed before the first one is changed.
 */
import { checksumOf, contentKey, type Json, type Metadata } from '../../core/memory.js'
import { parsedJson } from '../../core/parsed-json.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import { findSecrets, redactSecrets } from '../../guard/secrets/find-secrets.js'
import { markOf } from '../../guard/secrets/marks.js'
import type { PortableOf, PortableRecord } from '../../storage/ports/portable.js'
import { SecretScreen } from './secret-screen.js'

/** A secret in a content, and the length of the mark that replaces it. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly length: number
}

interface ChangedVersion {
  readonly contentKey: string
  readonly edits: readonly Edit[]
}

export class ArchiveSecrets {
  readonly #screen = new SecretScreen()
  /** By user and number. Only versions with a secret. */
  readonly #changed = new Map<string, ChangedVersion>()
  #user = ''

  /** Looks at a record. To be called with every record, in order, before `hide`. */
  survey(record: PortableRecord): void {
    if (record.record === 'user') this.#user = record.id
    if (record.record === 'version') {
      const edits = findSecrets(record.content).map(({ kind, ...range }) => ({ ...range, length: markOf(kind).length }))
      const key = contentKey(redactSecrets(record.content).text)
      if (edits.length > 0) this.#changed.set(this.#nameOf(record.number), { contentKey: key, edits })
    }
    hideIn(this.#screen, record)
  }

  /** How many secrets of each kind the survey found. */
  get found(): readonly RedactedKind[] {
    return this.#screen.counted()
  }

  /** The record without secrets. To be called with every record, in order. */
  hide(record: PortableRecord): PortableRecord {
    if (record.record === 'user') this.#user = record.id
    const hidden = hideIn(new SecretScreen(), record)
    switch (hidden.record) {
      case 'memory':
        return { ...hidden, content_key: this.#changedVersion(hidden.current)?.contentKey ?? hidden.content_key }
      case 'version':
        return record.record === 'version' ? this.#version(record, hidden) : hidden
      case 'contradiction': {
        const edits = this.#changedVersion(hidden.old_version)?.edits
        const [part] = edits === undefined || hidden.part === undefined ? [] : moved([hidden.part], edits)
        return part === undefined ? hidden : { ...hidden, part }
      }
      default:
        return hidden
    }
  }

  #version(before: PortableOf<'version'>, hidden: PortableOf<'version'>): PortableRecord {
    const edits = this.#changedVersion(hidden.number)?.edits
    if (edits === undefined) return hidden
    const { embedding, outdated, ...rest } = hidden
    const parts = moved(outdated ?? [], edits)
    return {
      ...rest,
      // A content that was damaged before stays recognisable as such.
      checksum: before.checksum === checksumOf(before.content) ? checksumOf(hidden.content) : before.checksum,
      ...(parts.length === 0 ? {} : { outdated: parts }),
      // The vector was made from the secret too. The service makes a new one.
      ...(embedding === undefined ? {} : { embedding: null }),
    }
  }

  #changedVersion(number: number): ChangedVersion | undefined {
    return this.#changed.get(this.#nameOf(number))
  }

  #nameOf(number: number): string {
    return `${number} ${this.#user}`
  }
}

/** Every text of a record that came from a user. Keys and webhooks stay: their secrets belong to the service. */
function hideIn(screen: SecretScreen, record: PortableRecord): PortableRecord {
  const text = (value: string) => screen.text(record.record, value)
  const metadata = (values: Readonly<Record<string, unknown>>) =>
    // Values of the schema `json`.
    screen.metadata(values as Metadata) as Record<string, never>
  switch (record.record) {
    case 'memory':
      return { ...record, source: text(record.source) }
    case 'version':
      return {
        ...record,
        content: text(record.content),
        metadata: metadata(record.metadata),
        mentions: record.mentions.map((mention) => ({ ...mention, spellings: mention.spellings.map(text) })),
        slots: record.slots.map(({ slot, value }) => ({ slot: text(slot), value: text(value) })),
      }
    case 'entity':
      return entityWithout(record, text)
    case 'relationship': {
      const tellings = record.tellings.map((telling) => ({ ...telling, properties: metadata(telling.properties) }))
      return { ...record, tellings }
    }
    case 'document': {
      const segments = record.segments.map((segment) => ({ ...segment, text: text(segment.text) }))
      return { ...record, source: text(record.source), segments }
    }
    case 'contradiction':
      // A value of the schema `json`.
      return { ...record, why: text(record.why), reason: screen.json('reason', record.reason as Json) as never }
    case 'entity_merge':
      return { ...record, why: text(record.why) }
    case 'item':
      // A value of the schema `json`.
      return { ...record, value: screen.json('value', record.value as Json) as never }
    case 'pending':
      return { ...record, payload: payloadWithout(record.payload, screen) }
    default:
      return record
  }
}

/** Two names that were secrets have the same mark, so the number keeps them apart. */
function entityWithout(record: PortableOf<'entity'>, text: (value: string) => string): PortableRecord {
  const key = (value: string) => {
    const left = text(value)
    return left === value ? value : `${left} ${record.number}`
  }
  const spellings = record.spellings.map(({ spelling, spelling_key, uses }) => ({
    spelling: key(spelling),
    spelling_key: key(spelling_key),
    uses,
  }))
  return { ...record, name: text(record.name), name_key: key(record.name_key), spellings }
}

function payloadWithout(payload: string, screen: SecretScreen): string {
  const parsed = parsedJson(payload)
  // It was written as JSON, so it can be nothing else.
  return parsed === undefined ? screen.text('pending', payload) : JSON.stringify(screen.json('pending', parsed as Json))
}

/** Where parts of a content are after its secrets were replaced. */
function moved<Part extends { readonly start: number; readonly end: number }>(
  parts: readonly Part[],
  edits: readonly Edit[],
): Part[] {
  let free = 0
  return parts.flatMap((part) => {
    const start = Math.max(free, offsetAfter(edits, part.start, 'start'))
    const end = offsetAfter(edits, part.end, 'end')
    if (start >= end) return []
    free = end
    return [{ ...part, start, end }]
  })
}

function offsetAfter(edits: readonly Edit[], offset: number, side: 'start' | 'end'): number {
  let shift = 0
  for (const { start, end, length } of edits) {
    if (offset <= start) break
    if (offset < end) return start + shift + (side === 'start' ? 0 : length)
    shift += length - (end - start)
  }
  return offset + shift
}
