/** `npm run check:expressions`: records a verdict of the tool for every new expression. `-- --undecided` also repeats undecided ones. */
import { allExpressions, keyOf } from './all-expressions.js'
import { boundOf, readRecord, unrecorded, verdictOf, writeRecord } from './regular-expressions.js'

const timeoutMs = 20_000
const expressions = await allExpressions()
const record = readRecord()
const known = new Set(expressions.map(keyOf))
for (const key of record.keys()) if (!known.has(key)) record.delete(key)
if (process.argv.includes('--undecided'))
  for (const [key, verdict] of record) if (verdict === 'undecided') record.delete(key)
const left = unrecorded(expressions, record)
process.stdout.write(`${expressions.length} expressions, ${left.length} without a verdict\n`)

async function work(): Promise<void> {
  for (let expression = left.shift(); expression; expression = left.shift()) {
    const verdict = await verdictOf(expression, timeoutMs)
    record.set(keyOf(expression), verdict)
    writeRecord(record)
    if (verdict === 'linear') continue
    const { file, line, source, flags } = expression
    process.stdout.write(`${verdict} ${file}:${line} (${boundOf(expression) ?? 'NO BOUND'}) /${source}/${flags}\n`)
  }
}
await Promise.all([work(), work()])
writeRecord(record)
process.exit(0)
