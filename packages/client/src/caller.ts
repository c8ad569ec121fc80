import { ValidationError } from './errors.js'
import type { CallOptions, OwnerOptions, ScopeOptions } from './options.js'
import type { ApiRequest, Transport } from './transport.js'

export interface Scope {
  readonly userId?: string | undefined
  readonly project?: string | undefined
}

/** The transport plus the default user and project. All parts of the client use it. */
export class Caller {
  constructor(
    readonly transport: Transport,
    readonly defaults: Scope,
  ) {}

  send<Answer>(request: ApiRequest, options: CallOptions): Promise<Answer> {
    return this.transport.send<Answer>(request, options)
  }

  /**
   * An undefined user means "not given". Any other invalid user is rejected here: with authentication off, a read without a
   * user would return the memories of everyone.
   */
  owner({ userId = this.defaults.userId }: OwnerOptions): Pick<Scope, 'userId'> {
    if (userId !== undefined) checkUserId(userId)
    return { userId }
  }

  scope(options: ScopeOptions): Scope {
    const { project = this.defaults.project } = options
    return { ...this.owner(options), project: project ?? undefined }
  }
}

export function checkUserId(userId: unknown): void {
  if (typeof userId === 'string' && userId !== '') return
  const message = 'must be a non-empty string, or omitted'
  throw new ValidationError(`userId: ${message}`, { details: [{ path: 'user_id', message }] })
}

/** Separates the fields of the request from the options of the call. */
export function fieldsOf<Options extends ScopeOptions>(options: Options): Omit<Options, keyof ScopeOptions> {
  const { signal: _s, timeoutMs: _t, maxRetries: _m, userId: _u, project: _p, ...fields } = options
  return fields
}
