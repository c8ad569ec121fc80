/** `npx tsx training/guard/letter-pairs.ts`: prints the table of `packages/server/src/guard/letter-pairs.ts`. */
import { readSamples } from './sources.js'

const counts = Array.from({ length: 27 }, () => new Float64Array(27).fill(0.5))
const samples = await readSamples(process.env.KEEPSAKE_DATA ?? '../shared/data')
for (const { text, learn, attack } of samples) {
  if (!learn || attack) continue
  let before = 0
  for (const letter of ` ${text.toLowerCase()} `) {
    const code = letter.charCodeAt(0) - 96
    const now = code >= 1 && code <= 26 ? code : 0
    if (now !== 0 || before !== 0) (counts[before] as Float64Array)[now] = (counts[before]?.[now] ?? 0) + 1
    before = now
  }
}
for (const row of counts) {
  const sum = row.reduce((total, count) => total + count, 0)
  // Half bits, at most 25 of them: a is likely, z hardly seen.
  console.log(
    `  '${[...row].map((count) => String.fromCharCode(97 + Math.min(25, Math.round(-2 * Math.log2(count / sum))))).join('')}',`,
  )
}
