/** The service under measurement, called through HTTP in this process, on an empty data directory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../../packages/server/src/boot/compose.js'
import { loadConfig } from '../../packages/server/src/config/config.js'

export interface Line {
  readonly text: string
  readonly memory_id: string
  readonly subject: string | null
}

export interface Profile {
  readonly topics: readonly { readonly topic: string; readonly lines: readonly Line[] }[]
  readonly text: string
  readonly tokens: number
}

export interface StoreAnswer {
  readonly memories: readonly { readonly id: string; readonly supersedes?: readonly string[] }[]
}

export interface MeasuredService {
  store(body: object): Promise<StoreAnswer>
  profile(user: string): Promise<Profile>
  close(): Promise<void>
}

/** Later than all that is stored. */
const now = Date.UTC(2026, 0, 1)

export async function openService(): Promise<MeasuredService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-profile-'))
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  const service = await compose(config, { clock: { now: () => now }, writeAuditLine: () => undefined })
  return {
    store: async (body) => {
      const response = await service.app.inject({ method: 'POST', url: '/api/v1/store', payload: body })
      // Content protection may refuse a text.
      if (response.statusCode === 400) return { memories: [] }
      if (response.statusCode !== 200) throw new Error(response.payload)
      return JSON.parse(response.payload) as StoreAnswer
    },
    async profile(user) {
      const response = await service.app.inject({ url: `/api/v1/users/${encodeURIComponent(user)}/profile` })
      if (response.statusCode !== 200) throw new Error(response.payload)
      // The tests check responses against the OpenAPI document.
      return JSON.parse(response.payload) as Profile
    },
    async close() {
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
