import { randomBytes } from 'node:crypto'
import bcrypt from 'bcrypt'
import { type KeyLimits, unlimited } from '../../src/core/key-access.js'
import { formatKey } from '../../src/service/keys/key-format.js'
import type { TestService } from '../support/harness.js'

/** bcrypt's lowest cost. A key of the usual cost takes longer to create and check than forty operations. */
const leastCost = 4

/** Creates a key as `POST /keys` does, with a cheaper hash. */
export async function quickKey(
  { deps, forbidInLogs }: TestService,
  userId: string | null,
  name: string,
  limits: Partial<KeyLimits> = {},
) {
  const id = deps.ids.next('key')
  const secret = randomBytes(32).toString('base64url')
  const hash = await bcrypt.hash(secret, leastCost)
  const preview = `${formatKey(id, '')}…`
  await deps.storage.createKey({
    id,
    userId,
    name,
    preview,
    createdAt: deps.clock.now(),
    hash,
    ...unlimited,
    ...limits,
  })
  forbidInLogs(secret)
  return { id, key: formatKey(id, secret) }
}
