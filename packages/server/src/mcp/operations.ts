/**
 * The operations of the API that `boot/` provides to MCP. Validation, scopes, limits, audit and the shape of answers are those of
 * the API, so that the two interfaces cannot diverge.
 */
import type { RateLimits } from '../core/settings.js'

export type Fields = Readonly<Record<string, unknown>>

/** The fields of a request, by the part of an HTTP request that carries them. */
export interface OperationInput {
  readonly params?: Fields
  readonly query?: Fields
  readonly body?: Fields
}

/** @throws ServiceError and nothing else. */
type Perform = (input: OperationInput) => Promise<Fields>

/** The operations, each performed on behalf of one caller. */
export interface CallerOperations {
  readonly storeMemories: Perform
  readonly recallMemories: Perform
  readonly updateMemory: Perform
  readonly deleteMemories: Perform
  readonly listMemories: Perform
  readonly getMemory: Perform
  readonly getProfile: Perform
  readonly listEntities: Perform
  readonly listSpaces: Perform
  readonly getEntityRelationships: Perform
  readonly putItem: Perform
  readonly getItem: Perform
  readonly searchItems: Perform
}

export type LimitGroup = Exclude<keyof RateLimits, 'enabled'>

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Fields>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

export interface DescribedOperation {
  readonly operationId: string
  readonly limitGroup: LimitGroup
  /** All fields of the request, whichever part of it carries them. */
  readonly input: ObjectSchema
  readonly answer: Fields
}

export type OperationCatalogue = { readonly [name in keyof CallerOperations]: DescribedOperation }

/** What a follower learned: `closed` is the end. */
export type Followed =
  | { readonly kind: 'changed'; readonly memoryIds: readonly string[] }
  /** Nothing changed in time. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'closed' }

/** Follows the changes of one user's memories. It reads on when asked, so a slow reader costs no memory. */
export interface Follower {
  next(patienceMs: number): Promise<Followed>
  close(): void
}

/** One request, and who makes it. */
export interface Session {
  readonly perform: CallerOperations
  /** The user of a call that names none. Undefined where the API key determines the user. */
  readonly defaultUser: string | undefined
  /** Part of every error, so that the log lines of a request can be found. */
  readonly requestId: string
  /** Whether the caller's key allows an operation: others are not listed. */
  mayCall(operationId: string): boolean
  /** Starts now. @throws ServiceError if the caller may not read, or follows too much already. */
  follow(): Promise<Follower>
}

/** What begins a session: the message, as far as spans name it. */
export interface Begun {
  readonly method: string
  readonly tool?: string
  readonly meta?: unknown
}

/** How the API names the user of a key. */
export const ownUser = 'me'

export function getProfile(session: Session): Promise<Fields> {
  return session.perform.getProfile({ params: { user_id: session.defaultUser ?? ownUser } })
}

/** Adds the caller's default user to fields that name none. */
export function forUser(session: Session, fields: Fields): Fields {
  if (session.defaultUser === undefined || Object.hasOwn(fields, 'user_id')) return fields
  return { ...fields, user_id: session.defaultUser }
}
