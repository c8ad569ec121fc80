/** A package of another project that talks to the service. Each `<name>.door.ts` in this folder exports one as its default. */
import { strict as assert } from 'node:assert'

export interface RealDoor {
  readonly name: string
  /** On npm. */
  readonly package: string
  readonly versions: readonly string[]
  /** A program of the package, by its path in it. It is not imported. */
  readonly program?: string
  /** By title. They run in order, against one service with authentication. */
  readonly checks: Readonly<Record<string, (surroundings: Surroundings) => Promise<void>>>
}

export interface Surroundings {
  readonly version: string
  /** Of a service with authentication, and of one without. */
  readonly url: string
  readonly openUrl: string
  /** Creates a key with the body of `POST /keys`. */
  createKey(body: object): Promise<string>
  /** The package, imported from the folder in which it was installed, or the path of its program. */
  readonly package: unknown
}

/** Fails unless the call is refused with this text in its error. */
export async function refuses(call: () => Promise<unknown>, text: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(String(error).includes(text), `the error does not say ${text}: ${String(error)}`)
    return true
  })
}
