/** The whole service on a real socket, with fast stub models and a manual clock. */
import type { AddressInfo } from 'node:net'
import { type StartOptions, startService, type TestService } from '../../server/test/support/harness.js'

export interface RealService extends TestService {
  readonly url: string
}

export async function startRealService(options: StartOptions = {}): Promise<RealService> {
  // No language model, even if the service's own suite runs with one: answers are compared word for word.
  const service = await startService({ languageModel: null, ...options })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  return { ...service, url: `http://127.0.0.1:${port}` }
}
