/**
 * An interface of the service as an attacker sees it: a request with a key, and a response. The isolation suite uses nothing
 * else, so that it attacks every interface with the same operations.
 */
import type { Operation } from '../support/openapi-check.js'

export interface Attempt {
  /** From the OpenAPI document. All doors have the same operations. */
  readonly operation: Operation
  /** Null sends no key. */
  readonly key: string | null
  /** The id in the path, if the operation has one. */
  readonly id?: string
  readonly query: Readonly<Record<string, string>>
  readonly body?: unknown
  /** With an application key: some requests count for its user and others for the key. */
  readonly isApplication?: boolean
  /** The network address of the client. */
  readonly from: string
}

export interface Outcome {
  /** The HTTP status. Other doors give the closest one. */
  readonly status: number
  /** The response, which must not depend on other users. */
  readonly answer: string
  /** The response, parsed if it is JSON. */
  readonly body: unknown
  /** Other output: headers, standard error. */
  readonly aside: string
  /** The remaining rate limit, if the door reports it. */
  readonly left?: {
    readonly limit: string
    readonly remaining: number
    /** What the limit counts, if it is not the key. */
    readonly credential?: string
  }
}

export interface Door {
  readonly name: string
  offers(operation: Operation): boolean
  /** Throws only if the door itself fails, for example with an undocumented response. */
  perform(attempt: Attempt): Promise<Outcome>
}
