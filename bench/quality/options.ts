/** The command line of `npm run bench:quality`. */
import { parseArgs } from 'node:util'
import { type Door, doors, isDoor } from './doors.js'
import { languageParts } from './languages/report.js'

export interface Options {
  readonly help: boolean
  readonly full: boolean
  /** If true, only languages are measured, and `tasks` names their parts. */
  readonly languages: boolean
  readonly tasks: ReadonlySet<string>
  readonly byCategory: boolean
  readonly leaveOneOut: boolean
  /** Only these, if given. */
  readonly systems: ReadonlySet<string> | undefined
  /** If given, conversations are stored through the API in these ways, and nothing else is measured. */
  readonly doors: readonly Door[]
  readonly plot: boolean
  readonly json: string | undefined
  readonly features: string | undefined
  readonly misses: string | undefined
  readonly missesCount: number
  readonly exportTexts: string | undefined
  readonly importVectors: readonly VectorImport[]
}

export interface VectorImport {
  /** Its id. */
  readonly contender: string
  readonly textsFile: string
  readonly vectorsFile: string
}

export function usage(taskNames: readonly string[], contenderIds: readonly string[]): string {
  return `npm run bench:quality -- [options]
  --full               whole data sets (hours the first time); otherwise a small split in about five minutes
  --tasks a,b          of ${taskNames.join(', ')}
  --languages          measure 29 languages and nothing else, in a few minutes; --full asks every sentence and question.
                       --tasks then takes ${languageParts.join(', ')}
  --by                 also by category of question
  --leave-one-out      also fused recall without each signal in turn
  --systems a,b        only these rows of the table, such as BM25,fused
  --door a,b           store conversations through POST /store and ask through POST /recall, and measure nothing else:
                       ${doors.join(', ')} (each turn as "Name: text", each turn as one message, twenty messages per request)
  --plot               also draw recall against k: docs/images/quality-TASK.svg
  --json NAME          also write all results, with every question's ranks, to bench/results/NAME
  --misses NAME        also write the questions that fused recall missed, for reading
  --misses-count N     number per task (default 20)
  --features NAME      also write each signal's scores for the best candidates of every question (for npm run bench:learn)
  --export-texts FILE  measure nothing; write every text that such a run would embed, as JSON lines {"sha256", "text"}
  --import-vectors MODEL,TEXTS,VECTORS
                       measure nothing; import vectors that another machine computed for an exported file: float32 or
                       float16, little-endian, one row per line. MODEL is one of: ${contenderIds.join(', ')}. Can be repeated
  --help
NAME is a file in bench/results/, or an absolute path.
The data folder is KEEPSAKE_DATA, otherwise ../shared/data next to the repository.`
}

/** @throws Error that explains what is wrong with the command line. */
export function readOptions(taskNames: readonly string[], contenderIds: readonly string[]): Options {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      languages: { type: 'boolean', default: false },
      tasks: { type: 'string' },
      by: { type: 'boolean', default: false },
      'leave-one-out': { type: 'boolean', default: false },
      systems: { type: 'string' },
      door: { type: 'string' },
      plot: { type: 'boolean', default: false },
      json: { type: 'string' },
      features: { type: 'string' },
      misses: { type: 'string' },
      'misses-count': { type: 'string', default: '20' },
      'export-texts': { type: 'string' },
      'import-vectors': { type: 'string', multiple: true, default: [] },
    },
  })
  const available = values.languages ? languageParts : taskNames
  const tasks = new Set(values.tasks?.split(',') ?? available)
  const unknown = [...tasks].filter((name) => !available.includes(name))
  if (unknown.length > 0) throw new Error(`--tasks: unknown ${unknown.join(', ')}; available: ${available.join(', ')}`)
  const missesCount = Number(values['misses-count'])
  if (!Number.isInteger(missesCount) || missesCount < 1) throw new Error('--misses-count must be a whole number from 1')
  return {
    help: values.help,
    full: values.full,
    languages: values.languages,
    tasks,
    byCategory: values.by,
    leaveOneOut: values['leave-one-out'],
    systems: values.systems === undefined ? undefined : new Set(values.systems.split(',')),
    doors: doorsOf(values.door),
    plot: values.plot,
    json: values.json,
    features: values.features,
    misses: values.misses,
    missesCount,
    exportTexts: values['export-texts'],
    importVectors: values['import-vectors'].map((value) => vectorImport(value, contenderIds)),
  }
}

function doorsOf(value: string | undefined): Door[] {
  const names = value === undefined ? [] : value.split(',')
  const unknown = names.filter((name) => !isDoor(name))
  if (unknown.length > 0) throw new Error(`--door: unknown ${unknown.join(', ')}; available: ${doors.join(', ')}`)
  return names.filter(isDoor)
}

function vectorImport(value: string, contenderIds: readonly string[]): VectorImport {
  const [contender = '', textsFile, vectorsFile, ...rest] = value.split(',')
  if (!textsFile || !vectorsFile || rest.length > 0) throw new Error('--import-vectors: MODEL,TEXTS,VECTORS')
  if (!contenderIds.includes(contender)) {
    throw new Error(`--import-vectors: unknown model "${contender}"; available: ${contenderIds.join(', ')}`)
  }
  return { contender, textsFile, vectorsFile }
}
