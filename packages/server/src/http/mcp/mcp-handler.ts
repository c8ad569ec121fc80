/** The interface between `http/` and `mcp/`, which `boot/` connects. The types match those of `mcp/operations.ts`. */
import type { RouteLimitGroup } from '../limits/rate-limit.js'

export type Fields = Readonly<Record<string, unknown>>

/** The fields of a request, by the part of an HTTP request that carries them. */
export interface OperationInput {
  readonly params?: Fields
  readonly query?: Fields
  readonly body?: Fields
}

/** @throws ServiceError and nothing else. */
type Perform = (input: OperationInput) => Promise<Fields>

/** The operations of the API that MCP offers, each performed on behalf of one caller. */
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

/** The interface of `mcp/operations.ts`. */
export interface Follower {
  next(
    patienceMs: number,
  ): Promise<
    | { readonly kind: 'changed'; readonly memoryIds: readonly string[] }
    | { readonly kind: 'quiet' }
    | { readonly kind: 'closed' }
  >
  close(): void
}

export interface McpHandler {
  /** The limit group of the operation that a message calls. Undefined where it calls none. */
  limitGroupOf(message: unknown): Promise<RouteLimitGroup | undefined>
  answer(
    request: Request,
    message: unknown,
    session: {
      readonly perform: CallerOperations
      readonly defaultUser: string | undefined
      readonly requestId: string
      mayCall(operationId: string): boolean
      follow(): Promise<Follower>
    },
  ): Promise<Response>
  close(): Promise<void>
}
