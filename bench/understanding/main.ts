/** `npm run bench:understanding`: what a store makes of text, by the service's own code. One file a part. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MissingData } from '../quality/rows.js'
import { contradictions } from './contradictions.js'
import { ingest } from './ingest.js'
import { msc } from './msc.js'
import type { Part } from './part.js'
import { resolution } from './resolution.js'

const parts: readonly Part[] = [resolution, contradictions, msc, ingest]
const repository = fileURLToPath(new URL('../../', import.meta.url))

function usage(): string {
  const lines = parts.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`)
  return `npm run bench:understanding -- [parts] [options]
${lines.join('\n')}
  --full           whole data sets; else a small split
  --show           also print what was wrong
  --help
Without a part, all of them. The data is read from the folder that KEEPSAKE_DATA names, else from ../shared/data beside
the repository; a part whose data is not there is skipped.`
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
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}\n${usage()}`)
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

// An interrupted run ends like any other: its files go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
