import type { Grant, ListGrantsAnswer, RevokeGrantAnswer } from './api-types.generated.js'
import { checkUserId } from './caller.js'
import type { CallOptions } from './options.js'
import type { Transport } from './transport.js'
import { pathPart } from './wire.js'

/** OAuth grants of connected applications: those of the API key's user, or all with the master key. The client's own `userId` is not used here. */
export class Grants {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first. */
  async list({ userId, ...options }: CallOptions & { readonly userId?: string | undefined } = {}): Promise<Grant[]> {
    if (userId !== undefined) checkUserId(userId)
    const request = { method: 'GET', path: '/grants', query: { userId }, repeat: 'safe' } as const
    return (await this.#transport.send<ListGrantsAnswer>(request, options)).grants
  }

  /** Ends a grant immediately. Retried after a lost response; `NotFoundError` then means that it has already ended. */
  async revoke(id: string, options: CallOptions = {}): Promise<RevokeGrantAnswer> {
    return this.#transport.send({ method: 'DELETE', path: `/grants/${pathPart(id)}`, repeat: 'safe' }, options)
  }
}
