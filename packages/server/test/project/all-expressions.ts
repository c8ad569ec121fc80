/**
 * Collects every regular expression of the sources. Literals are parsed from the text; those made by `new RegExp` are recorded while
 * the modules load. For those that functions make later from names and words, this file has a sample.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expressionLiterals } from './source-expressions.js'

export interface Expression {
  /** The path below `packages/`, with slashes. */
  readonly file: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

const packages = fileURLToPath(new URL('../../../', import.meta.url))

/** One sample per place where a function makes an expression. `filesWithout` finds new places. */
const madeLater: readonly Expression[] = [
  { file: 'server/src/core/ids.ts', line: 0, source: '^mem_[0-7][0-9a-hjkmnp-tv-z]{25}$', flags: '' },
  {
    file: 'server/src/http/response/not-found.ts',
    line: 0,
    source: '^\\/api\\/v1\\/memories\\/[^/]+\\/history$',
    flags: '',
  },
  { file: 'server/src/http/metrics/process-series.ts', line: 0, source: '^VmSize:\\s{0,20}(\\d{1,20})', flags: 'm' },
  {
    file: 'server/src/facts/tagging/stated-aliases.ts',
    line: 0,
    source: '(?<![\\p{L}\\p{N}])(?:Ann|Robert)(?![\\p{L}\\p{N}])',
    flags: 'u',
  },
  {
    file: 'server/src/retrieval/query/speaker.ts',
    line: 0,
    source: '(?<![\\p{L}\\p{N}])(?:Ann|Robert)(?![\\p{L}\\p{N}])|李明',
    flags: 'iu',
  },
]

function sourceFiles(): string[] {
  return ['server', 'cli'].flatMap((name) => {
    const root = join(packages, name, 'src')
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/\.(?:test|fixture|contract)\.ts$|(?:^|[\\/])contract[\\/]/.test(path))
      .map((path) => join(root, path))
  })
}

const shown = (path: string) => relative(packages, path).split(sep).join('/')

export async function allExpressions(): Promise<Expression[]> {
  const files = sourceFiles()
  const literals = files.flatMap((path) =>
    expressionLiterals(readFileSync(path, 'utf8')).map((each) => ({ file: shown(path), ...each })),
  )
  const made = await madeWhileLoading(files)
  const unique = new Map([...literals, ...made, ...madeLater].map((each) => [keyOf(each), each]))
  return [...unique.values()]
}

export function keyOf({ source, flags }: Pick<Expression, 'source' | 'flags'>): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 16)
}

/** Files that make expressions of which none was recorded. */
export function filesWithout(expressions: readonly Expression[]): string[] {
  const seen = new Set(expressions.filter(({ line }) => line === 0).map(({ file }) => file))
  return sourceFiles()
    .filter((path) => /\bRegExp\(/.test(readFileSync(path, 'utf8')))
    .map(shown)
    .filter((file) => !seen.has(file))
}

async function madeWhileLoading(files: readonly string[]): Promise<Expression[]> {
  const made: Expression[] = []
  const Native = globalThis.RegExp
  globalThis.RegExp = new Proxy(Native, {
    construct(target, args) {
      const expression: RegExp = Reflect.construct(target, args)
      const file = callerOf(new Error().stack ?? '')
      if (file) made.push({ file, line: 0, source: expression.source, flags: expression.flags })
      return expression
    },
  })
  try {
    // A worker module sends messages to its parent when it loads. Its expressions are in the modules it imports.
    for (const path of files) if (!path.endsWith('-worker.ts')) await import(pathToFileURL(path).href)
  } finally {
    globalThis.RegExp = Native
  }
  return made
}

/** Undefined if a dependency made the expression. */
function callerOf(stack: string): string | undefined {
  const [, , caller = ''] = stack.split('\n')
  const [, file] = /packages[\\/]((?:server|cli)[\\/]src[\\/][^:?()]+\.ts)/.exec(caller) ?? []
  return file?.split(sep).join('/')
}
