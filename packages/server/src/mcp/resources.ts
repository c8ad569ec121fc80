/** The profile, memories and entities as resources, each with its own address. */
import { notFound } from '../core/errors.js'
import { type Fields, forUser, getProfile, type Session } from './operations.js'

const profile = 'keepsake://profile'
const memories = 'keepsake://memories/'
const entities = 'keepsake://entities/'
const mimeType = 'application/json'
const pageLength = 50
const longestName = 80

const profileResource = {
  uri: profile,
  name: 'profile',
  title: 'Who the user is',
  description: 'What is known about the user, by topic',
  mimeType,
}

export const resourceTemplates = [
  {
    uriTemplate: `${memories}{id}`,
    name: 'memory',
    title: 'A memory',
    description: 'One memory with its times, metadata, entities, trust score and the memories that it replaced',
    mimeType,
  },
  {
    uriTemplate: `${entities}{id}`,
    name: 'entity',
    title: 'An entity',
    description: 'A person, organisation, place or thing that memories mention, with its relationships',
    mimeType,
  },
]

/** The profile, then the memories, newest first, one page at a time. */
export async function listResources(session: Session, cursor: string | undefined) {
  // Flagged text is not put before a model unasked.
  const query = { limit: pageLength, flagged: false, ...(cursor === undefined ? {} : { cursor }) }
  const found = await session.perform.listMemories({ query: forUser(session, query) })
  const items = Array.isArray(found.memories) ? found.memories : []
  return {
    resources: [
      ...(cursor === undefined ? [profileResource] : []),
      ...items.map(({ id, content, updated_at: lastModified }: Fields) => ({
        uri: `${memories}${String(id)}`,
        name: shortened(String(content)),
        mimeType,
        annotations: { lastModified: String(lastModified) },
      })),
    ],
    ...(typeof found.next_cursor === 'string' ? { nextCursor: found.next_cursor } : {}),
  }
}

export async function readResource(session: Session, uri: string) {
  const answer = await answerFor(session, uri)
  return { contents: [{ uri, mimeType, text: JSON.stringify(answer) }] }
}

function answerFor(session: Session, uri: string): Promise<Fields> {
  if (uri === profile) return getProfile(session)
  const query = forUser(session, {})
  const memoryId = idBehind(memories, uri)
  if (memoryId !== undefined) return session.perform.getMemory({ params: { id: memoryId }, query })
  const entityId = idBehind(entities, uri)
  if (entityId !== undefined) return session.perform.getEntityRelationships({ params: { id: entityId }, query })
  throw notFound('Resource')
}

/** Ids contain no character that a URI escapes, so a text with an escape is no id. */
function idBehind(prefix: string, uri: string): string | undefined {
  const id = uri.startsWith(prefix) ? uri.slice(prefix.length) : ''
  return /^[\w-]{1,256}$/.test(id) ? id : undefined
}

/** Whether changes of a resource are announced. Those of entities are not: no event names them. */
export function canFollow(uri: string): boolean {
  return uri === profile || idBehind(memories, uri) !== undefined
}

/** The resources that changed with these memories. */
export function changedWith(memoryIds: readonly string[]): string[] {
  return [profile, ...new Set(memoryIds.map((id) => `${memories}${id}`))]
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length > longestName ? `${characters.slice(0, longestName - 1).join('')}…` : text
}
