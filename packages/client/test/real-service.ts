/** The whole service with quick models and a clock that the test moves, behind a real socket. */
import type { AddressInfo } from 'node:net'
import { type StartOptions, startService, type TestService } from '../../server/test/support/harness.js'

export interface RealService extends TestService {
  readonly url: string
}

export async function startRealService(options: StartOptions = {}): Promise<RealService> {
  // No language model, also where the service's own suite runs with one: the answers are compared word for word.
  const service = await startService({ languageModel: null, ...options })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  return { ...service, url: `http://127.0.0.1:${port}` }
}
