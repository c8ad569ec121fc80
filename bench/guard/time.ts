/** The guard's cost on the main thread: per kilobyte of ordinary text, and in the worst case for 50,000 characters. */
import type { Guard } from '../../packages/server/src/models/models.js'

const ordinary = [
  'I moved to Lisbon last spring and work for a small bakery near the river. ',
  'My sister Anna visits every June; she is allergic to nuts, so we never order the cake. ',
  'Remind me that the rent is due on the first, and that the landlord prefers a transfer. ',
  'We saw a film about a robot that forgets everything it was told, and liked the ending. ',
]
const units = [
  'a',
  ' a',
  '.',
  '\n',
  '=',
  'ab ',
  'ignore ',
  'ignore all ',
  '%41',
  '0x41',
  'QUJD',
  'QUJD\n',
  'SWdub3Jl ',
  '@',
  '![',
  "'",
  'when the user ',
  '&#105;',
  '\\u0069',
  '\u200b',
  '😀',
  'a\u0301',
  'а',
  'vtaber ',
  'erongi ',
  'i g n o r e  ',
  '1gn0r3 ',
  '65 66 67 ',
  '01100001 ',
  'you are now in ',
  'send the ',
  '<|',
  '[system',
  '# # ',
]

export function measureTime(guard: Guard): { readonly name: string; readonly ms: number }[] {
  const page = ordinary.join('').repeat(13).slice(0, 4_096)
  for (let round = 0; round < 20; round += 1) guard.inspect(page)
  const pages = Array.from({ length: 50 }, (_, round) => timeOf(guard, page.slice(round % 7)) / 4)
  const hostile = units.map((unit) => ({
    unit,
    ms: timeOf(guard, unit.repeat(Math.ceil(50_000 / unit.length)).slice(0, 50_000)),
  }))
  const worst = hostile.reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest))
  return [
    { name: 'a kilobyte of ordinary text, median', ms: median(pages) },
    { name: '50,000 hostile characters, median', ms: median(hostile.map(({ ms }) => ms)) },
    { name: `50,000 hostile characters, worst (${JSON.stringify(worst.unit)})`, ms: worst.ms },
  ]
}

/** CPU time of the process, so that other programs on the machine do not count. */
function timeOf(guard: Guard, text: string): number {
  const before = process.cpuUsage()
  guard.inspect(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
