/**
 * `npm run bench:secrets`: how many ordinary texts lose a part because it is taken for a secret, and how long the search takes.
 * `-- --show` prints the texts.
 */
import { fileURLToPath } from 'node:url'
import { redactSecrets } from '../../packages/server/src/guard/secrets/find-secrets.js'
import { allRows } from '../quality/rows.js'
import { markdownTable } from '../table.js'

const sets = [
  { name: 'MSC', folder: 'msc', field: 'text' },
  { name: 'LoCoMo', folder: 'locomo', field: 'text' },
  { name: 'REALTALK', folder: 'realtalk', field: 'text' },
  { name: 'BEAM 100K (long technical chats)', folder: 'beam/100K', field: 'text' },
  { name: 'RealMem', folder: 'realmem', field: 'text' },
] as const

const data = process.env.KEEPSAKE_DATA || fileURLToPath(new URL('../../../shared/data', import.meta.url))
const rows: string[][] = []
for (const { name, folder, field } of sets) {
  const texts = (await allRows<Record<string, unknown>>(`${data}/${folder}`, 'memories', [field])).map((row) =>
    String(row[field]),
  )
  let characters = 0
  const found: string[] = []
  const start = performance.now()
  for (const text of texts) {
    characters += text.length
    const { text: left, kinds } = redactSecrets(text)
    if (kinds.length > 0)
      found.push(
        `${kinds.join(', ')}: ${left
          .replace(/\s+/g, ' ')
          .replace(/^.*?(.{0,100}\[redacted: )/, '$1')
          .slice(0, 200)}`,
      )
  }
  const ms = performance.now() - start
  if (process.argv.includes('--show')) for (const line of found) process.stdout.write(`${name}: ${line}\n`)
  rows.push([
    name,
    String(texts.length),
    String(found.length),
    `${((100 * found.length) / texts.length).toFixed(3)}%`,
    ((1_000 * ms) / (characters / 1_000)).toFixed(0),
  ])
}
process.stdout.write(`${markdownTable(['set', 'texts', 'redacted', 'share', 'µs per 1,000 characters'], rows)}\n`)
