import { ValidationError } from './errors.js'
import type { CallOptions, OwnerOptions, ScopeOptions, UserOptions } from './options.js'
import type { ApiRequest, Transport } from './transport.js'

export interface Scope {
  readonly userId?: string | undefined
  readonly space?: string | undefined
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
  user({ userId = this.defaults.userId }: UserOptions): Pick<Scope, 'userId'> {
    if (userId !== undefined) checkUserId(userId)
    return { userId }
  }

  /** The user, and the space whose memories the call is about. */
  owner(options: OwnerOptions): Pick<Scope, 'userId' | 'space'> {
    const { space = this.defaults.space } = options
    if (space !== undefined && space !== null) checkSpace(space)
    return { ...this.user(options), space: space ?? undefined }
  }

  /** For calls that spaces do not have, such as events. Those of the user would be wrong in a client for a space. */
  userScope(options: UserOptions & Pick<ScopeOptions, 'project'>): Omit<Scope, 'space'> {
    if (this.defaults.space !== undefined) {
      throw new ValidationError('space: a space has no events of its own; use a client without a space')
    }
    const { project = this.defaults.project } = options
    return { ...this.user(options), project: project ?? undefined }
  }

  scope(options: ScopeOptions): Scope {
    const { project = this.defaults.project } = options
    return { ...this.owner(options), project: project ?? undefined }
  }
}

/** An empty space would be the memories of the user. */
export function checkSpace(space: unknown): void {
  if (typeof space === 'string' && space !== '') return
  const message = 'must be the id of a space, or omitted'
  throw new ValidationError(`space: ${message}`, { details: [{ path: 'space', message }] })
}

export function checkUserId(userId: unknown): void {
  if (typeof userId === 'string' && userId !== '') return
  const message = 'must be a non-empty string, or omitted'
  throw new ValidationError(`userId: ${message}`, { details: [{ path: 'user_id', message }] })
}

/** Separates the fields of the request from the options of the call. */
export function fieldsOf<Options extends ScopeOptions>(options: Options): Omit<Options, keyof ScopeOptions> {
  const { signal: _s, timeoutMs: _t, maxRetries: _m, userId: _u, space: _sp, project: _p, ...fields } = options
  return fields
}
