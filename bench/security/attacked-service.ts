/** The service under attack, and a valid user with some memories. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepted } from '../http-client.js'
import { type ServiceProcess, serviceEnvironment, startService } from '../service-process.js'
import { type BearerClient, bearerClient } from './bearer-client.js'

const masterKey = randomBytes(32).toString('hex')
const goodAddress = '127.200.0.1'
export const memories = 300

export interface Attacked {
  readonly service: ServiceProcess
  readonly client: BearerClient
  /** The key of the valid user. */
  readonly key: string
  createKey(userId: string): Promise<string>
}

/**
 * `program`: the built service to measure, by default that of this repository. `stopsInOrder`: false where the attacker's texts would
 * have to be finished first.
 */
export async function whileServing(
  work: (attacked: Attacked) => Promise<void>,
  program: string | undefined,
  stopsInOrder = true,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-flood-'))
  const environment = {
    ...serviceEnvironment(join(directory, 'data')),
    SERVICE_MASTER_KEY: masterKey,
    SERVICE_AUDIT_LOG: join(directory, 'audit.log'),
    // Enabled, because it also limits failures; set so high that only what else protects the service is measured.
    SERVICE_RATE_LIMIT_ENABLED: 'true',
    SERVICE_RATE_LIMIT_STORE: '1000000/minute',
    SERVICE_RATE_LIMIT_RECALL: '1000000/minute',
    SERVICE_RATE_LIMIT_DEFAULT: '1000000/minute',
  }
  const service = await startService({
    environment,
    workingDirectory: directory,
    ...(program === undefined ? {} : { nodeArguments: [program] }),
  })
  try {
    const client = bearerClient(service.root, goodAddress)
    const createKey = async (userId: string) => {
      const body = { user_id: userId, name: 'flood' }
      return String(accepted(await client.send('POST', '/api/v1/keys', masterKey, body), 'a key').key)
    }
    const key = await createKey('ana')
    await seed(client, key)
    await work({ service, client, key, createKey })
    client.close()
    if (stopsInOrder) await service.stop()
  } finally {
    await service.kill()
    await rm(directory, { recursive: true, force: true })
  }
}

async function seed(client: BearerClient, key: string): Promise<void> {
  for (let index = 0; index < memories; index += 1) {
    const content = `Note ${index}: the ${['red', 'blue', 'green'][index % 3]} box ${index} is on shelf ${index % 17}`
    accepted(await client.send('POST', '/api/v1/store', key, { content }), 'a memory')
  }
}

/** One recall of the valid user, in milliseconds. */
export async function recallMs(client: BearerClient, key: string, index: number): Promise<number> {
  const body = { query: `where is the blue box ${index % memories}?`, limit: 10 }
  const answer = await client.send('POST', '/api/v1/recall', key, body)
  if (accepted(answer, 'a recall').total !== 10) throw new Error('a recall returned too few results')
  // Simulates a person's application, not a load test: there is a pause between requests.
  await new Promise((resolve) => setTimeout(resolve, 5))
  return answer.ms
}
