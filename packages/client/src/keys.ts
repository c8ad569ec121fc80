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

/** API keys: for a client that has the master key. The client's own `userId` means nothing here. */
export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The answer has the full key, this once. Sent again only if it was refused: a second key would be one whose secret
   * nobody has seen.
   */
  async create({ userId, name }: Readonly<CreateKeyRequest>, options: CallOptions = {}): Promise<CreateKeyAnswer> {
    return this.#transport.send(
      { method: 'POST', path: '/keys', body: { userId, name }, repeat: 'if-refused' },
      options,
    )
  }

  /** Newest first: those of one user, or all. */
  async list({ userId, ...options }: CallOptions & { readonly userId?: string | undefined } = {}): Promise<ApiKey[]> {
    if (userId !== undefined) checkUserId(userId)
    const request = { method: 'GET', path: '/keys', query: { userId }, repeat: 'safe' } as const
    return (await this.#transport.send<ListKeysAnswer>(request, options)).keys
  }

  /**
   * It stops working at once. Sent again after a lost answer, because a key that should be gone must not stay: the
   * `NotFoundError` that may follow then says that it is revoked already.
   */
  async revoke(id: string, options: CallOptions = {}): Promise<RevokeKeyAnswer> {
    return this.#transport.send({ method: 'DELETE', path: `/keys/${pathPart(id)}`, repeat: 'safe' }, options)
  }
}
