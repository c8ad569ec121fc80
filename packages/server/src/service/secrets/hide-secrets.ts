/**
 * Removes secrets from everything that a caller wants to store, before anything else sees it: the guard, models, the inbox on disk,
 * the database. What is not stored cannot leak through a backup, an archive, a webhook or a recall.
 */
import { type FieldProblem, invalid, ServiceError } from '../../core/errors.js'
import type { Json, Metadata } from '../../core/memory.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import type { UserScope } from '../../core/scope.js'
import { redactSecrets } from '../../guard/secrets/find-secrets.js'
import type { Deps } from '../deps.js'
import type { StoreInput } from '../store/store-input.js'

type SecretDeps = Pick<Deps, 'meter'> & { readonly settings: Pick<Deps['settings'], 'secrets'> }

/** The input without secrets. @throws ServiceError where secrets are refused. */
export function hideSecrets(deps: SecretDeps, scope: UserScope, input: StoreInput): StoreInput {
  if (deps.settings.secrets === 'keep') return input
  const screen = new SecretScreen()
  screen.refuseName('project', scope.project)
  const { source, conversationId } = input
  const hidden: StoreInput = {
    ...input,
    text: hideInText(screen, input.text),
    metadata: screen.metadata(input.metadata),
    source: source === undefined ? undefined : screen.text('source', source),
    conversationId: conversationId === undefined ? undefined : screen.text('conversation_id', conversationId),
  }
  const redacted = conclude(deps, screen)
  return redacted.length === 0 ? input : { ...hidden, redacted }
}

interface Change {
  readonly content?: string
  readonly metadata?: Metadata
  readonly project?: string | null
}

/** The same for a change of a memory. */
export function hideSecretsInChange<T extends Change>(
  deps: SecretDeps,
  change: T,
): { readonly change: T; readonly redacted: readonly RedactedKind[] } {
  if (deps.settings.secrets === 'keep') return { change, redacted: [] }
  const screen = new SecretScreen()
  screen.refuseName('project', change.project ?? undefined)
  const { content, metadata } = change
  const hidden = {
    ...change,
    ...(content === undefined ? {} : { content: screen.text('content', content) }),
    ...(metadata === undefined ? {} : { metadata: screen.metadata(metadata) }),
  }
  return { change: hidden, redacted: conclude(deps, screen) }
}

/** A query is not stored, but it may be sent to another service that embeds it. Stored texts have the same marks, so it finds them. */
export function hideSecretsInQuery(deps: SecretDeps, query: string): string {
  return deps.settings.secrets === 'keep' ? query : redactSecrets(query).text
}

function hideInText(screen: SecretScreen, text: StoreInput['text']): StoreInput['text'] {
  if ('content' in text) return { content: screen.text('content', text.content) }
  return {
    messages: text.messages.map((message, index) => ({
      ...message,
      content: screen.text(`messages[${index}].content`, message.content),
      ...(message.name === undefined ? {} : { name: screen.text(`messages[${index}].name`, message.name) }),
    })),
  }
}

function conclude({ settings, meter }: SecretDeps, screen: SecretScreen): readonly RedactedKind[] {
  const redacted = screen.counted()
  if (redacted.length === 0) return []
  const isRefused = settings.secrets === 'refuse'
  for (const { kind, count } of redacted) meter.secrets(kind, isRefused ? 'refused' : 'redacted', count)
  if (isRefused) {
    const message = 'The text contains secrets and was not stored: remove them, and send it again'
    throw new ServiceError('validation_error', message, screen.problems())
  }
  return redacted
}

/** Collects the secrets of one request. */
class SecretScreen {
  readonly #found: { readonly path: string; readonly kinds: readonly string[] }[] = []

  text(path: string, text: string): string {
    const { text: left, kinds } = redactSecrets(text)
    if (kinds.length > 0) this.#found.push({ path, kinds })
    return left
  }

  /** The name of a project stays the same everywhere, so a mark in it would mix projects up. */
  refuseName(path: string, name: string | undefined): void {
    const [kind] = name === undefined ? [] : redactSecrets(name).kinds
    if (kind !== undefined) throw invalid(path, `looks like a secret (${kind}): use another name`)
  }

  metadata(metadata: Metadata): Metadata {
    return this.#fields('metadata', metadata)
  }

  #fields(path: string, fields: Metadata): Metadata {
    const hidden = new Map<string, Json>()
    for (const [name, value] of Object.entries(fields)) {
      const left = this.text(path, name)
      // Two names that were secrets have the same mark.
      let key = left
      for (let number = 2; hidden.has(key) || (key !== name && Object.hasOwn(fields, key)); number++)
        key = `${left} ${number}`
      hidden.set(key, this.#value(`${path}.${key}`, value, left))
    }
    return Object.fromEntries(hidden)
  }

  #value(path: string, value: Json, name: string): Json {
    if (typeof value === 'string') return this.#named(path, value, name)
    if (Array.isArray(value)) return value.map((item: Json, index) => this.#value(`${path}[${index}]`, item, name))
    if (typeof value !== 'object' || value === null) return value
    // An array was handled above.
    return this.#fields(path, value as Metadata)
  }

  /** The name of a field may reveal that its value is a secret: `{"password": "swordfish"}`. */
  #named(path: string, value: string, name: string): string {
    const label = `${name}: "`
    const { text, kinds } = redactSecrets(`${label}${value}"`)
    if (kinds.length === 0 || !text.startsWith(label) || !text.endsWith('"')) return this.text(path, value)
    this.#found.push({ path, kinds })
    return text.slice(label.length, -1)
  }

  counted(): RedactedKind[] {
    const counts = new Map<string, number>()
    for (const kind of this.#found.flatMap(({ kinds }) => kinds)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ kind, count }))
  }

  problems(): FieldProblem[] {
    return this.#found.map(({ path, kinds }) => {
      const different = [...new Set(kinds)]
      return { path, message: `contains a secret (${different.join(', ')})`, kinds: different }
    })
  }
}
