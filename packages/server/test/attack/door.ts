/**
 * A way into the service, as an attacker sees it: something is asked under a key, and something comes out.
 * The isolation suite knows no more than this, so that every door is attacked by the same operations.
 */
import type { Operation } from '../support/openapi-check.js'

export interface Attempt {
  /** Of the OpenAPI document: the operations are the same behind every door. */
  readonly operation: Operation
  /** Null: none is shown. */
  readonly key: string | null
  /** In the path, where the operation has one. */
  readonly id?: string
  readonly query: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The network address that it seems to come from. */
  readonly from: string
}

export interface Outcome {
  /** The status of HTTP; another door names the nearest. */
  readonly status: number
  /** The answer itself, which must not depend on other users. */
  readonly answer: string
  /** The same, parsed where it is JSON. */
  readonly body: unknown
  /** Everything else that came out: headers, standard error. */
  readonly aside: string
  /** What is left of a limit, where the door tells. */
  readonly left?: { readonly limit: string; readonly remaining: number }
}

export interface Door {
  readonly name: string
  offers(operation: Operation): boolean
  /** Throws only when the door itself is broken, such as by an answer that is not as documented. */
  perform(attempt: Attempt): Promise<Outcome>
}
