/**
 * A package of another project that talks to the service. Each `<name>.door.ts` in this folder exports one as `door`, and
 * `npm run test:doors` opens it.
 */
import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runService } from '../support/running-service.js'

interface ServiceDoor {
  readonly name: string
  /** On npm. */
  readonly package: string
  readonly versions: readonly string[]
  /** The one for `--quick`. */
  readonly quickly: string
  /** The oldest major version of Node that runs a version, where the package does not say so itself. */
  readonly needsNode?: Readonly<Record<string, number>>
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

/** What a door gets from the program that opens it. */
export interface Around {
  readonly load: NodeJS.Require
  readonly folder: string
  /** `name@version` */
  readonly version: string
}

const masterKey = 'a-master-key-for-the-doors-of-others-0123456789'

/** Its two services start with it, and end with it. */
export function serviceDoor(door: ServiceDoor) {
  return {
    name: door.name,
    versions: door.versions.map((version) => [`${door.package}@${version}`]),
    quickly: `${door.package}@${door.quickly}`,
    needsNode: Object.fromEntries(
      Object.entries(door.needsNode ?? {}).map(([version, node]) => [`${door.package}@${version}`, node]),
    ),
    async open({ load, folder, version }: Around) {
      const installed =
        door.program === undefined
          ? await import(pathToFileURL(load.resolve(door.package)).href)
          : join(folder, 'node_modules', door.package, door.program)
      const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'keepsake-doors-')))
      const [guarded = '', open = ''] = directories
      const common = { SERVICE_RATE_LIMIT_ENABLED: 'false' }
      const service = await runService({ ...common, SERVICE_DATA_DIR: guarded, SERVICE_MASTER_KEY: masterKey })
      const openService = await runService({ ...common, SERVICE_DATA_DIR: open })
      const surroundings: Surroundings = {
        version: version.slice(version.lastIndexOf('@') + 1),
        url: service.url,
        openUrl: openService.url,
        createKey: (body) => createKey(service.url, body),
        package: installed,
      }
      return {
        checks: Object.fromEntries(
          Object.entries(door.checks).map(([title, check]) => [title, () => check(surroundings)]),
        ),
        async close() {
          for (const each of [service, openService]) {
            each.process.kill('SIGTERM')
            await each.finished
          }
          for (const directory of directories) rmSync(directory, { recursive: true, force: true })
        },
      }
    },
  }
}

async function createKey(url: string, body: object): Promise<string> {
  const answer = await fetch(`${url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const created = (await answer.json()) as { readonly key?: string }
  if (created.key === undefined) throw new Error(`no key: ${JSON.stringify(created)}`)
  return created.key
}

/** Fails unless the call is refused with this text in its error. */
export async function refuses(call: () => Promise<unknown>, text: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(String(error).includes(text), `the error does not say ${text}: ${String(error)}`)
    return true
  })
}
