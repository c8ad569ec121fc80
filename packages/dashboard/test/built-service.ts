/** The built service, as a new user runs it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keepsake } from '@keepsake/client'
import { type RunningService, runService } from '../../server/test/support/running-service.js'

export const masterKey = 'a-master-key-for-the-browser-tests-0001'

export interface BuiltService {
  readonly url: string
  readonly service: RunningService
  stop(): Promise<void>
}

export const newFolder = () => mkdtemp(join(tmpdir(), 'keepsake-browser-'))

/** A given folder is kept when the service stops. */
export async function startBuiltService(
  env: Readonly<Record<string, string>> = {},
  given?: string,
): Promise<BuiltService> {
  const folder = given ?? (await newFolder())
  const service = await runService({ SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'warn', ...env })
  return {
    url: service.url,
    service,
    async stop() {
      service.process.kill('SIGTERM')
      await service.finished
      if (given === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Stores a small, fixed set of memories for the user `maya`. */
export async function tellSmallLife(url: string): Promise<void> {
  const client = new Keepsake({ url, userId: 'maya' })
  const said: readonly (readonly [string, string, object?])[] = [
    ['2025-11-20', 'My name is Maya. I live in Porto. I work at Acme Corp as a designer.'],
    ['2025-12-02', 'Tom is my brother. Tom lives in Berlin.', { project: 'family' }],
    ['2026-01-05', 'I love hiking in the mountains. My favourite colour is blue.'],
    ['2026-02-05', 'I am allergic to peanuts.', { metadata: { topic: 'health' } }],
    ['2026-05-10', 'I work at Globex as lead designer.'],
    ['2026-07-01', 'Tom lives in Hamburg.', { project: 'family' }],
    ['2026-08-01', 'My favourite colour is green.'],
    ['2026-09-01', 'Anna Fischer manages the design team at Globex.'],
    ['2026-10-10', 'Anna recommended The Left Hand of Darkness.'],
    ['2026-11-14', 'The dentist expects me on Friday.', { ttl: '7d' }],
  ]
  for (const [day, text, options] of said) await client.store(text, { createdAt: `${day}T09:00:00Z`, ...options })
}
