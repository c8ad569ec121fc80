/** The command line of `npm run bench:natural`. */
import { parseArgs } from 'node:util'
import type { CaseSet } from './cases.js'
import { type Door, doors } from './doors.js'

export interface Options {
  readonly help: boolean
  readonly sealed: boolean
  readonly set: CaseSet
  readonly doors: readonly Door[]
  readonly json: string | undefined
  /** Only these cases, if given. */
  readonly ids: ReadonlySet<string> | undefined
  readonly categories: ReadonlySet<string> | undefined
  readonly failures: boolean
  readonly atOnce: boolean
}

export const usage = `npm run bench:natural -- [options]
  --door a,b       of ${doors.join(', ')} (each turn as content, each turn as one message, all turns in one
                   request); default: content,messages
  --only a,b       only the cases with these ids
  --category a,b   only these categories
  --at-once        each turn a minute after the one before, as in a first try of the service, instead of at the time of the case
  --failures       also print the failed cases
  --json NAME      also write all results, with every case, to bench/results/NAME, or to an absolute path
  --second         the second set of cases
  --third          the third set: pairs of a note and a later one that repeats it, or only looks so
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
      third: { type: 'boolean', default: false },
      door: { type: 'string', default: 'content,messages' },
      json: { type: 'string' },
      only: { type: 'string' },
      category: { type: 'string' },
      failures: { type: 'boolean', default: false },
      'at-once': { type: 'boolean', default: false },
    },
  })
  const names = values.door.split(',')
  const unknown = names.filter((name) => !doors.some((door) => door === name))
  if (unknown.length > 0) throw new Error(`--door: unknown ${unknown.join(', ')}; available: ${doors.join(', ')}`)
  if (values.sealed && (values.failures || values.only !== undefined || values.category !== undefined))
    throw new Error('--sealed cannot be combined with --failures, --only or --category: they would reveal cases')
  return {
    help: values.help,
    sealed: values.sealed,
    set: values.third ? 3 : values.second ? 2 : 1,
    doors: doors.filter((door) => names.includes(door)),
    json: values.json,
    ids: setOf(values.only),
    categories: setOf(values.category),
    failures: values.failures,
    atOnce: values['at-once'],
  }
}

function setOf(value: string | undefined): ReadonlySet<string> | undefined {
  return value === undefined ? undefined : new Set(value.split(','))
}
