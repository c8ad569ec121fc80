import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { percentiles } from './measure.js'

const writes = 50

/** Median milliseconds to append 4 kB to a file and sync it: the minimum cost of every store. */
export async function diskSyncMs(directory: string): Promise<number> {
  const file = await open(join(directory, 'sync'), 'a')
  const times: number[] = []
  try {
    for (let write = 0; write < writes; write++) {
      const start = performance.now()
      await file.write(Buffer.alloc(4096, write))
      await file.datasync()
      times.push(performance.now() - start)
    }
  } finally {
    await file.close()
  }
  return percentiles(times).p50
}
