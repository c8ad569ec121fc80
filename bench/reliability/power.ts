/**
 * Power cuts. The data is on a separate file system, an image on a loop device. During concurrent writes all writing
 * processes are stopped (SIGSTOP) and the image is copied: the copy contains what has reached the disk, but not what is
 * still in the kernel's memory. The copy is mounted, the service is started on it, and its contents are compared with
 * the acknowledged writes.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { httpClient } from '../http-client.js'
import { openEngine } from './engines.js'
import { type Fault, type FaultContext, type FaultResult, sleep, verifyAll, writerCount } from './fault.js'
import { execute, makeImage, mountImage, mountObstacle, unmount } from './file-systems.js'
import { emptyLedger, type Ledger, type Problem } from './ledger.js'
import { startWriters } from './writers.js'

const cutAfterMs = { least: 150, most: 900 }
/** Time to read the answers that were in flight when the writers were stopped. */
const lastAnswersMs = 30
const megabytes = { sqlite: 192, postgres: 640 }

export const power: Fault = {
  engines: ['sqlite', 'postgres'],
  obstacle: mountObstacle,
  async run(context) {
    const rounds = context.rounds ?? 50
    const ledger = emptyLedger()
    const problems: Problem[] = []
    let image = join(context.directory, 'disk-0')
    await makeImage(image, megabytes[context.engine])
    let inFlight = 0
    for (let number = 1; number <= rounds + 1; number++) {
      const copy = number > rounds ? undefined : join(context.directory, `disk-${number}`)
      const found = await oneLife(context, image, copy, ledger)
      problems.push(...found.problems)
      inFlight += found.inFlight
      if (number % 10 === 0) context.log(`${number} of ${rounds} power cuts, ${problems.length} problems`)
      if (problems.length === 0) await rm(image)
      if (copy === undefined) break
      image = copy
    }
    return { rounds, problems, ledger, seen: `${inFlight} writes in flight at a cut` } satisfies FaultResult
  },
}

/**
 * From one start to the next cut: compares the contents of the disk first, then continues writing. Without `copy` it
 * only compares.
 */
async function oneLife(context: FaultContext, image: string, copy: string | undefined, ledger: Ledger) {
  const at = `${image}-mounted`
  await mountImage(image, at)
  try {
    const engine = await openEngine(context.engine, at)
    const service = await context.start(engine.start)
    const { problems, inFlight } = await verifyAll(service, ledger, context.random)
    const found = [...problems]
    if (copy === undefined) {
      await service.stop()
      await engine.close()
      return { problems: found, inFlight }
    }
    const client = httpClient(service.root, writerCount)
    const writers = startWriters(client, ledger, context.random, { count: writerCount })
    await writers.acknowledgedOnce
    await sleep(cutAfterMs.least + context.random() * (cutAfterMs.most - cutAfterMs.least))
    await engine.server?.freeze()
    process.kill(service.pid, 'SIGSTOP')
    await sleep(lastAnswersMs)
    writers.expectEnd()
    await execute('cp', ['--sparse=always', image, copy])
    await Promise.all([service.kill(), engine.server?.destroy()])
    found.push(...(await writers.ended))
    client.close()
    return { problems: found, inFlight }
  } finally {
    await unmount(at)
  }
}
