/**
 * Measures how much of the two storage engines is written twice. `twins.test.ts` and `npm run bench:twins` use it.
 *
 * Each source file becomes a sequence of words: identifiers, keywords, numbers, and the words inside strings, so that SQL counts
 * like code. Comments, imports, punctuation and differences of style or dialect (`await`, casts, `ifnull` for `coalesce`) are
 * normalised away. Then greedy string tiling (Wise 1993, as in JPlag) covers both folders with the longest runs of words that they
 * share, in any file and any order. Runs of fewer than three words are coincidences. No word is matched twice.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const storage = fileURLToPath(new URL('../', import.meta.url))
const shortestRun = 3

/** Words that only differ between sync and async code, and words without meaning. */
const ignored = new Set(['await', 'async', 'Promise', 'void', 'readonly', 'export', 'const'])
/** Different names of the same thing: the session that statements are sent through, its methods, functions and constants of SQL. */
const synonyms: Readonly<Record<string, string>> = {
  user: 'db',
  UserData: 'Database',
  send: 'run',
  ifnull: 'coalesce',
  boolean: 'number',
  true: '1',
  TRUE: '1',
  false: '0',
  FALSE: '0',
}

export interface SourceWords {
  readonly file: string
  readonly words: readonly string[]
}

interface TwinPair {
  readonly first: string
  readonly second: string
  /** Words that both share. */
  readonly shared: number
  /** Share of the smaller file's words, 0 to 1. */
  readonly share: number
}

export interface Twins {
  readonly words: readonly [first: number, second: number]
  readonly shared: number
  /** Share of the smaller folder's words, 0 to 1. */
  readonly share: number
  /** Each file of the first folder with the file of the second that it shares most with; most shared words first. */
  readonly pairs: readonly TwinPair[]
}

/** `folder` is relative to `storage/`. */
export function sourcesIn(folder: string): SourceWords[] {
  const root = join(storage, folder)
  return sourceFiles(root).map((path) => ({
    file: relative(root, path),
    words: wordsOf(readFileSync(path, 'utf8')),
  }))
}

/** Lines of `storage/` without the contract suite, migrations and tests. */
export function storageLines(): number {
  return sourceFiles(storage)
    .map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0)
}

function sourceFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => !/(?:^|[\\/])(?:contract|migrations)[\\/]/.test(path))
    .map((path) => join(root, path))
    .sort()
}

export function wordsOf(text: string): string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/[^\n]*/g, '$1')
    .replace(/^import\b[\s\S]*?(?:from )?['"][^'"\n]+['"]$/gm, '')
    // Casts, and the leading key column of PostgreSQL's tables.
    .replace(/::\w+(?:\[\])?/g, '')
    .replace(/\b(?:\w+\.)?user_id = (?:@user|\w+\.user_id)(?: AND\b)?/g, '')
  const words = code.match(/[A-Za-z_$@][\w$]*|\d[\w.]*/g) ?? []
  return words.filter((word) => !ignored.has(word)).map((word) => synonyms[word] ?? word)
}

export function compareSources(first: readonly SourceWords[], second: readonly SourceWords[]): Twins {
  const lengths = [first, second].map((files) => files.reduce((sum, { words }) => sum + words.length, 0))
  const [a = 0, b = 0] = lengths
  const all = tile(joined(first), joined(second))
  const shared = all.reduce((sum, run) => sum + run.length, 0)
  return { words: [a, b], shared, share: shared / Math.max(1, Math.min(a, b)), pairs: pairsOf(first, second, all) }
}

function pairsOf(first: readonly SourceWords[], second: readonly SourceWords[], runs: readonly Run[]): TwinPair[] {
  const fileAt = [first, second].map((files) => files.flatMap((each) => [...each.words.map(() => each), each]))
  const partners = new Map<SourceWords, Map<SourceWords, number>>()
  for (const { start, otherStart, length } of runs) {
    const one = fileAt[0]?.[start]
    const other = fileAt[1]?.[otherStart]
    if (!one || !other) continue
    const counts = partners.get(one) ?? new Map<SourceWords, number>()
    partners.set(one, counts.set(other, (counts.get(other) ?? 0) + length))
  }
  const pairs = [...partners].flatMap(([one, counts]) => {
    const [best] = [...counts].sort(([x, m], [y, n]) => n - m || likeness(one, y) - likeness(one, x))
    if (!best) return []
    const [other] = best
    const shared = tile(one.words, other.words).reduce((sum, run) => sum + run.length, 0)
    return {
      first: one.file,
      second: other.file,
      shared,
      share: shared / Math.min(one.words.length, other.words.length),
    }
  })
  return pairs.sort((x, y) => y.shared - x.shared)
}

function likeness(one: SourceWords, other: SourceWords): number {
  return basename(one.file) === basename(other.file) ? 1 : 0
}

/** Puts a symbol after each file, which equals nothing, so that no run crosses from one file to the next. */
function joined(files: readonly SourceWords[]): (string | symbol)[] {
  return files.flatMap(({ words }) => [...words, Symbol('border')])
}

interface Run {
  readonly start: number
  readonly otherStart: number
  readonly length: number
}

/** Runs that both share, the longest first; each word is in one run at most. */
function tile(one: readonly (string | symbol)[], other: readonly (string | symbol)[]): Run[] {
  const { left, right } = numbered(one, other)
  const byLength = maximalRuns(left, right)
  const isTaken = new Uint8Array(left.length)
  const isOtherTaken = new Uint8Array(right.length)
  const tiles: Run[] = []
  for (let length = byLength.length - 1; length >= shortestRun; length -= 1) {
    // The free rest of a run that is partly covered goes to the list of its shorter length, which comes later.
    for (const { start, otherStart } of byLength[length] ?? []) {
      const isFree = (at: number) => !isTaken[start + at] && !isOtherTaken[otherStart + at]
      let free = 0
      for (let at = 0; at <= length; at += 1) {
        if (at < length && isFree(at)) {
          free += 1
          continue
        }
        if (free === length) {
          isTaken.fill(1, start, start + length)
          isOtherTaken.fill(1, otherStart, otherStart + length)
          tiles.push({ start, otherStart, length })
        } else if (free >= shortestRun) {
          const shift = at - free
          byLength[free]?.push({ start: start + shift, otherStart: otherStart + shift, length: free })
        }
        free = 0
      }
    }
  }
  return tiles
}

/** Replaces words with numbers, which compare faster. */
function numbered(one: readonly (string | symbol)[], other: readonly (string | symbol)[]) {
  const numbers = new Map<string | symbol, number>()
  const numberOf = (word: string | symbol) => {
    const known = numbers.get(word) ?? numbers.size
    numbers.set(word, known)
    return known
  }
  return { left: one.map(numberOf), right: other.map(numberOf) }
}

/** All shared runs that cannot be extended to either side, by length. */
function maximalRuns(left: readonly number[], right: readonly number[]): Run[][] {
  const places = new Map<string, number[]>()
  const keyAt = (words: readonly number[], at: number) => words.slice(at, at + shortestRun).join(' ')
  for (let at = 0; at + shortestRun <= right.length; at += 1) {
    const key = keyAt(right, at)
    const known = places.get(key)
    if (known) known.push(at)
    else places.set(key, [at])
  }
  const byLength: Run[][] = []
  for (let start = 0; start + shortestRun <= left.length; start += 1) {
    for (const otherStart of places.get(keyAt(left, start)) ?? []) {
      if (start > 0 && otherStart > 0 && left[start - 1] === right[otherStart - 1]) continue
      let length = shortestRun
      while (start + length < left.length && left[start + length] === right[otherStart + length]) length += 1
      while (byLength.length <= length) byLength.push([])
      byLength[length]?.push({ start, otherStart, length })
    }
  }
  return byLength
}
