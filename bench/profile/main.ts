/**
 * `npm run bench:profile [-- --full]`: how many persona facts of people of MSC a profile of 400 tokens covers, whether outdated facts
 * are shown, and how long a profile takes with 1,000 memories. Everything goes through the HTTP API, in this process. People come from
 * conversations that taught the statement model nothing; by default every 20th of them, with --full all.
 */
import { parseArgs } from 'node:util'
import { random } from '../random.js'
import { markdownTable } from '../table.js'
import { checkOutdated } from './outdated.js'
import { type Coverage, cover, doors, heldOutConversations, noCoverage } from './people.js'
import { type MeasuredService, openService } from './service.js'

const { values: options } = parseArgs({
  options: { full: { type: 'boolean', default: false }, step: { type: 'string', default: '20' } },
})
const data = process.env.KEEPSAKE_DATA ?? '../shared/data'
const checks = options.full ? 500 : 100

const conversations = heldOutConversations(data)
const chosen = conversations.filter((_, index) => options.full || index % Number(options.step) === 0)
const service = await openService()
try {
  console.log(`${chosen.length} of ${conversations.length} held-out conversations`)
  const rows: string[][] = []
  for (const door of doors) {
    const result = noCoverage()
    for (const conversation of chosen) await cover(service, conversation, door, result)
    rows.push(rowOf(door, result))
  }
  console.log(markdownTable(['door', 'people', 'facts', 'covered', 'in words', 'lines', 'with a fact', 'tokens'], rows))
  const { replaced, outdatedShown, newShown, keptBoth } = await checkOutdated(service, random(11), checks)
  console.log(
    `\nchanged facts: ${replaced} replaced, old value shown ${outdatedShown}, new value shown ${newShown}; ${keptBoth} kept side by side`,
  )
  console.log(await timed(service))
} finally {
  await service.close()
}

function rowOf(door: string, { people, facts, covered, inWords, lines, factLines, tokens }: Coverage): string[] {
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)}%`
  return [
    door,
    String(people),
    String(facts),
    percent(covered, facts),
    percent(inWords, facts),
    (lines / people).toFixed(1),
    percent(factLines, lines),
    (tokens / people).toFixed(0),
  ]
}

/** Different statements, most of them worth a line. */
async function timed(measured: MeasuredService): Promise<string> {
  const user_id = 'a thousand memories'
  const turns = conversations.flatMap(({ turns: all }) => all).filter(({ facts }) => facts.length > 0)
  let stored = 0
  for (const { text } of turns) {
    if (stored >= 1_000) break
    stored += (await measured.store({ user_id, content: text })).memories.length
  }
  const times: number[] = []
  for (let run = 0; run < 60; run += 1) {
    const start = performance.now()
    await measured.profile(user_id)
    times.push(performance.now() - start)
  }
  const sorted = times.slice(10).sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `${stored} memories: ${at(0.5)} ms (median), ${at(0.95)} ms (95th percentile)`
}
