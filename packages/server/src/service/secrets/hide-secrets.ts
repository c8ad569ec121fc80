/**
 * Removes secrets from everything that a caller wants to store, before anything else sees it: the guard, models, the inbox on disk,
 * the database. What is not stored cannot leak through a backup, an archive, a webhook or a recall.
 */
import { ServiceError } from '../../core/errors.js'
import type { ItemPlace } from '../../core/item.js'
import type { Json, Metadata } from '../../core/memory.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import type { UserScope } from '../../core/scope.js'
import { redactSecrets } from '../../guard/secrets/find-secrets.js'
import type { Deps } from '../deps.js'
import type { StoreInput } from '../store/store-input.js'
import { SecretScreen } from './secret-screen.js'

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

/** The same for an item. The names of its place stay the same everywhere, like that of a project. */
export function hideSecretsInItem(
  deps: SecretDeps,
  { project }: UserScope,
  { namespace, key, value }: ItemPlace & { readonly value: Json },
): { readonly value: Json; readonly redacted: readonly RedactedKind[] } {
  if (deps.settings.secrets === 'keep') return { value, redacted: [] }
  const screen = new SecretScreen()
  screen.refuseName('project', project)
  screen.refuseName('namespace', namespace)
  screen.refuseName('key', key)
  const hidden = screen.json('value', value)
  const redacted = conclude(deps, screen)
  return { value: redacted.length === 0 ? value : hidden, redacted }
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
