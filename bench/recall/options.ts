/** The command line of `npm run bench:recall`. */
import { parseArgs } from 'node:util'
import type { PeopleSet } from './cases.js'

/** Each turn as content, or as one message. */
export const doors = ['content', 'messages'] as const
export type Door = (typeof doors)[number]

export interface Options {
  readonly help: boolean
  readonly sealed: boolean
  readonly set: PeopleSet
  readonly doors: readonly Door[]
  readonly failures: boolean
  readonly rerank: boolean
  readonly dilute: boolean
  readonly threshold: number
  readonly json: string | undefined
  /** Only these people, if given. */
  readonly ids: ReadonlySet<string> | undefined
}

/** docs/api.md recommends it. */
const recommendedThreshold = 0.2

export const usage = `npm run bench:recall -- [options]
  --door a,b       of ${doors.join(', ')} (each turn as content, each turn as one message); default: both
  --rerank         with enable_rerank
  --dilute         with 2,000 unrelated memories under each user
  --threshold N    the recommended threshold; default: ${recommendedThreshold}
  --failures       also print the failed questions and plans
  --only a,b       only the people with these ids
  --json NAME      also write all results to bench/results/NAME, or to an absolute path
  --second         the second set of people
  --searches       the people who search by bare words
  --sealed         the sealed half instead of dev.jsonl: totals only, also in the JSON file
  --help`

/** @throws Error that explains what is wrong with the command line. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      sealed: { type: 'boolean', default: false },
      second: { type: 'boolean', default: false },
      searches: { type: 'boolean', default: false },
      door: { type: 'string', default: doors.join(',') },
      failures: { type: 'boolean', default: false },
      rerank: { type: 'boolean', default: false },
      dilute: { type: 'boolean', default: false },
      threshold: { type: 'string', default: String(recommendedThreshold) },
      json: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const names = values.door.split(',')
  const unknown = names.filter((name) => !doors.some((door) => door === name))
  if (unknown.length > 0) throw new Error(`--door: unknown ${unknown.join(', ')}; available: ${doors.join(', ')}`)
  const threshold = Number(values.threshold)
  if (!(threshold >= 0 && threshold <= 1)) throw new Error('--threshold: give a number from 0 to 1')
  if (values.sealed && (values.failures || values.only !== undefined))
    throw new Error('--sealed cannot be combined with --failures or --only: they would reveal cases')
  if (values.second && values.searches) throw new Error('--second and --searches: choose one')
  const { help, sealed, failures, rerank, dilute, json, only } = values
  const ids = only === undefined ? undefined : new Set(only.split(','))
  return {
    help,
    sealed,
    set: values.searches ? 'searches' : values.second ? 'second' : 'first',
    doors: doors.filter((door) => names.includes(door)),
    failures,
    rerank,
    dilute,
    threshold,
    json,
    ids,
  }
}
