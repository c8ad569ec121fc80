/** `npm run bench:understanding`: how the service's own code turns text into memories. One file per part. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MissingData } from '../quality/rows.js'
import { contradictions } from './contradictions.js'
import { entities } from './entities.js'
import { ingest } from './ingest.js'
import { msc } from './msc.js'
import type { Part } from './part.js'
import { resolution } from './resolution.js'

const parts: readonly Part[] = [resolution, contradictions, entities, msc, ingest]
const repository = fileURLToPath(new URL('../../', import.meta.url))

function usage(): string {
  const lines = parts.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`)
  return `npm run bench:understanding -- [parts] [options]
${lines.join('\n')}
  --full           whole data sets; otherwise a small split
  --show           also print the errors
  --help
Without a part, all of them run. The data folder is KEEPSAKE_DATA, otherwise ../shared/data next to
the repository; a part whose data does not exist is skipped.`
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage())
  const unknown = positionals.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0) throw new Error(`unknown part ${unknown.join(', ')}\n${usage()}`)
  const directory = process.env.KEEPSAKE_DATA || join(repository, '../shared/data')
  for (const part of parts) {
    if (positionals.length > 0 && !positionals.includes(part.name)) continue
    console.log(`\n## ${part.name}: ${part.about}\n`)
    try {
      await part.measure({ directory, full: values.full, show: values.show, repository })
    } catch (error) {
      if (!(error instanceof MissingData)) throw error
      console.log(`skipped: ${error.message}`)
    }
  }
}

// An interrupted run removes its files like any other.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
