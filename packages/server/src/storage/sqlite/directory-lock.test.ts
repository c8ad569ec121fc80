import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workerUrl } from '../../core/worker-url.js'
import { DataDirectoryInUse, openSqliteStorage } from './sqlite-storage.js'

describe('a data directory', () => {
  let dataDir = ''
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keepsake-lock-'))
  })
  afterEach(async () => {
    await rm(dataDir, { recursive: true })
  })

  it('cannot be opened twice in one process, and is free again after closing', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(new DataDirectoryInUse(dataDir, process.pid))
    await storage.ping()
    await storage.close()
    await (await openSqliteStorage({ dataDir })).close()
  })

  it('cannot be opened while another process holds it, and is free as soon as that process is killed', async () => {
    const module = workerUrl(import.meta.url, './sqlite-storage.js').href
    const script = `const { openSqliteStorage } = await import(process.argv[1])
      await openSqliteStorage({ dataDir: process.argv[2] })
      console.log('open')`
    const other = spawn(process.execPath, ['--input-type=module', '-e', script, module, dataDir])
    await once(other.stdout, 'data')
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(
      `${dataDir} is in use by another Keepsake process (pid ${other.pid})`,
    )
    other.kill('SIGKILL')
    await once(other, 'exit')
    await (await openSqliteStorage({ dataDir })).close()
  })

  it('is created if missing, accessible to its owner only', async () => {
    const { stat } = await import('node:fs/promises')
    const nested = join(dataDir, 'a', 'b')
    await (await openSqliteStorage({ dataDir: nested })).close()
    expect((await stat(nested)).mode & 0o777).toBe(0o700)
  })
})
