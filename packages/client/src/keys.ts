import type {
  ApiKey,
  CreateKeyAnswer,
  CreateKeyRequest,
  ListKeysAnswer,
  RevokeKeyAnswer,
} from './api-types.generated.js'
import { checkUserId } from './caller.js'
import type { CallOptions } from './options.js'
import type { Transport } from './transport.js'
import { pathPart } from './wire.js'

/** Manages API keys; needs the master key. The client's own `userId` is not used here. */
export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Creates a key of one user, or with `kind: 'application'` one that acts for the `userId` of each call, or only for those that start
   * with `userPrefix`. `access: 'read'` or `'write'`, `project` and `ttl` limit it. The full key is in this response only. Retried only after a rate limit: otherwise a retry could create a
   * second key whose secret nobody has seen.
   */
  async create(wanted: Readonly<CreateKeyRequest>, options: CallOptions = {}): Promise<CreateKeyAnswer> {
    const { kind, userId, userPrefix, name, access, project, ttl } = wanted
    const body = { kind, userId, userPrefix, name, access, project, ttl }
    return this.#transport.send({ method: 'POST', path: '/keys', body, repeat: 'if-refused' }, options)
  }

  /** The keys of one user, or all keys; newest first. */
  async list({ userId, ...options }: CallOptions & { readonly userId?: string | undefined } = {}): Promise<ApiKey[]> {
    if (userId !== undefined) checkUserId(userId)
    const request = { method: 'GET', path: '/keys', query: { userId }, repeat: 'safe' } as const
    return (await this.#transport.send<ListKeysAnswer>(request, options)).keys
  }

  /**
   * Revokes a key immediately. Retried after a lost response, because the key must not stay active. The retry may throw
   * `NotFoundError`, which then means that the key is already revoked.
   */
  async revoke(id: string, options: CallOptions = {}): Promise<RevokeKeyAnswer> {
    return this.#transport.send({ method: 'DELETE', path: `/keys/${pathPart(id)}`, repeat: 'safe' }, options)
  }
}
