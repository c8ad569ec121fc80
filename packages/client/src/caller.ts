import { ValidationError } from './errors.js'
import type { CallOptions, OwnerOptions, ScopeOptions } from './options.js'
import type { ApiRequest, Transport } from './transport.js'

export interface Scope {
  readonly userId?: string | undefined
  readonly project?: string | undefined
}

/** The transport together with whose memories are meant: what the parts of the client are made of. */
export class Caller {
  constructor(
    readonly transport: Transport,
    readonly defaults: Scope,
  ) {}

  send<Answer>(request: ApiRequest, options: CallOptions): Promise<Answer> {
    return this.transport.send<Answer>(request, options)
  }

  /**
   * A user that is undefined is one that was not given. Anything else that is no user is refused here: where
   * authentication is off, a read without a user would be about everyone.
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
  const message = 'must be a text that is not empty, or left out'
  throw new ValidationError(`userId: ${message}`, { details: [{ path: 'user_id', message }] })
}

/** The fields of a request among the options of its call. */
export function fieldsOf<Options extends ScopeOptions>(options: Options): Omit<Options, keyof ScopeOptions> {
  const { signal: _s, timeoutMs: _t, maxRetries: _m, userId: _u, project: _p, ...fields } = options
  return fields
}
