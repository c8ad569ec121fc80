import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryService {
  readonly url: string
  close(): Promise<void>
}

/** The whole service with its models, on a free port and in a temporary directory. Rate limits are off: they are not being measured. */
export async function startTemporary(): Promise<TemporaryService> {
  const [{ compose }, { loadConfig }] = await Promise.all([
    import('@keepsake/server'),
    import('@keepsake/server/config'),
  ])
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
  try {
    const { config } = loadConfig({
      SERVICE_DATA_DIR: directory,
      SERVICE_PORT: '0',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_RATE_LIMIT_ENABLED: 'false',
    })
    const service = await compose(config, { writeAuditLine: () => undefined })
    const { port } = await service.listen()
    return {
      url: `http://127.0.0.1:${port}`,
      async close() {
        await service.close()
        await rm(directory, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}
