/**
 * The rules of docs/architecture.md, checked on the sources: layers import downwards only, without cycles, and each concern (SQL,
 * HTTP, the environment, scopes for everyone) stays in its layer.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** The layers that each layer may import, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  main: ['boot', 'config'],
  boot: ['config', 'http', 'mcp', 'service', 'retrieval', 'facts', 'guard', 'models', 'storage', 'audit', 'core'],
  config: ['core'],
  http: ['service', 'storage', 'core'],
  mcp: ['service', 'core'],
  service: ['ingest', 'retrieval', 'facts', 'guard', 'models', 'language', 'storage', 'audit', 'core'],
  ingest: ['facts', 'guard', 'models', 'language', 'storage', 'core'],
  retrieval: ['models', 'language', 'storage', 'core'],
  facts: ['models', 'language', 'core'],
  guard: ['models', 'language', 'core'],
  models: ['language', 'core'],
  language: ['core'],
  storage: ['core'],
  audit: ['core'],
  core: [],
}

/** The layers of which a layer may import only types. */
const allowedTypes: Readonly<Record<string, readonly string[]>> = { http: ['config'] }

/** Cycles through types that may stay: at most two, each as its files in order, with the reason. None so far. */
const justifiedTypeCycles: readonly (readonly string[])[] = []

interface Import {
  readonly target: string
  /** Erased by the compiler. */
  readonly isType: boolean
}

interface SourceFile {
  readonly path: string
  readonly layer: string
  readonly text: string
  readonly imports: readonly Import[]
}

/** `src/main.ts` is a separate layer. */
function layerOf(path: string): string {
  const [first = '', ...rest] = path.split('/')
  return rest.length === 0 ? 'main' : first
}

const statement =
  /^(?:import|export)\s+(?:(type)\s+)?(?:(?:[\w$]+\s*,\s*)?(\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?|[\w$]+)\s+from\s+)?'(\.[^']+)'/gm
const dynamicImport = /\bimport\(\s*'(\.[^']+)'\s*\)/g

function importsOf(path: string, text: string): Import[] {
  const resolved = (specifier: string) =>
    posix(relative(root, resolve(join(root, dirname(path)), specifier))).replace(/\.js$/, '.ts')
  const statements = [...text.matchAll(statement)].map(([, type, names = '', specifier = '']) => ({
    target: resolved(specifier),
    isType: type !== undefined || namesTypesOnly(names),
  }))
  const dynamic = [...text.matchAll(dynamicImport)].map(([, specifier = '']) => ({
    target: resolved(specifier),
    isType: false,
  }))
  return [...statements, ...dynamic]
}

function namesTypesOnly(names: string): boolean {
  if (!names.startsWith('{')) return false
  const each = names
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
  return each.every((name) => name === '' || name.startsWith('type '))
}

function posix(path: string): string {
  return path.split(sep).join('/')
}

function sources(): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(posix)
    .filter((path) => path.endsWith('.ts') && !/\.(?:test|contract)\.ts$|^storage\/contract\//.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, layer: layerOf(path), text, imports: importsOf(path, text) }
    })
}

const files = sources()

/** The files of each cycle, in order: the strongly connected components (Tarjan 1972). */
function cycles(follows: (imported: Import) => boolean): string[][] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports.filter(follows).map(({ target }) => target)]))
  const found: string[][] = []
  const number = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (path: string): number => {
    number.set(path, number.size)
    low.set(path, number.size - 1)
    stack.push(path)
    for (const target of graph.get(path) ?? []) {
      if (!graph.has(target)) continue
      const reached = number.has(target) ? (stack.includes(target) ? number.get(target) : undefined) : visit(target)
      low.set(path, Math.min(low.get(path) ?? 0, reached ?? Number.POSITIVE_INFINITY))
    }
    if (low.get(path) === number.get(path)) {
      const members = stack.splice(stack.indexOf(path))
      if (members.length > 1 || graph.get(path)?.includes(path)) found.push(members.sort())
    }
    return low.get(path) ?? 0
  }
  for (const path of graph.keys()) if (!number.has(path)) visit(path)
  return found.sort()
}

/** Paths of source files in a text, without those outside of `src`. */
function namedFiles(text: string): string[] {
  return [...text.matchAll(/(?<![\w/])[a-z][\w-]*(?:\/[\w-]+)+\.ts\b/g)].map(([path]) => path).filter(isOfSource)
}

function isOfSource(path: string): boolean {
  return Object.hasOwn(allowed, layerOf(path))
}

const functionStart =
  /^( *)(?!(?:if|for|while|switch|catch|else|return|do|try|class|interface)\b)(?:.*\bfunction\b.*\(|(?:[a-z]+ )*[#\w]+(?:<.*>)?\(|.*=> \{$)/

/** The functions of several lines. The formatter puts the closing brace at the indentation of the first line. */
function functionsOf(text: string): { readonly line: number; readonly lines: number }[] {
  const lines = text.split('\n')
  return lines.flatMap((first, start) => {
    const indent = functionStart.exec(first)?.[1]
    if (indent === undefined) return []
    const closes = (line: string) => line.startsWith(`${indent}}`) && !/^[^{]*\{$/.test(line.slice(indent.length + 1))
    const end = lines.findIndex((line, index) => index > start && (closes(line) || isOutside(line, indent)))
    const opens = lines.slice(start, end).some((line) => line.startsWith(indent) && /\{$/.test(line))
    return end > start && opens && closes(lines[end] ?? '') ? [{ line: start + 1, lines: end - start + 1 }] : []
  })
}

/** A line at the indentation of a function, or left of it, that is not part of its head: `): void {`. */
function isOutside(line: string, indent: string): boolean {
  const own = /^ */.exec(line)?.[0] ?? ''
  return line !== '' && own.length <= indent.length && !/^ *[)}\]>:]/.test(line)
}

const pathsWhere = (matches: (file: SourceFile) => boolean) => files.filter(matches).map(({ path }) => path)

describe('the layers', () => {
  it('all exist, and each file except main.ts is in one', () => {
    expect([...new Set(files.map(({ layer }) => layer))].sort()).toEqual(Object.keys(allowed).sort())
    const loose = readdirSync(root, { withFileTypes: true }).filter((entry) => !entry.isDirectory())
    expect(loose.map(({ name }) => name)).toEqual(['main.ts'])
  })

  it('import downwards only, and no sibling', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter(({ target, isType }) => {
          const layer = layerOf(target)
          const layers = [...(allowed[file.layer] ?? []), ...(isType ? (allowedTypes[file.layer] ?? []) : [])]
          return layer !== file.layer && !layers.includes(layer)
        })
        .map(({ target }) => `${file.path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  const page = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8')

  it('names only files that exist, and names the path of a store and of a recall', () => {
    const named = namedFiles(page)
    const paths = new Set(files.map(({ path }) => path))
    expect([...new Set(named)].filter((path) => !paths.has(path))).toEqual([])
    expect(named).toEqual(expect.arrayContaining(['service/store/store.ts', 'service/recall/recall.ts']))
  })

  it('lists every decision', () => {
    const records = readdirSync(new URL('../../../../docs/adr/', import.meta.url)).filter((name) =>
      name.endsWith('.md'),
    )
    expect(records.filter((name) => !page.includes(`(adr/${name})`))).toEqual([])
  })
})

describe('the import graph', () => {
  it('has no cycle through values', () => {
    expect(cycles(({ isType }) => !isType)).toEqual([])
  })

  it('has no cycle through types except the justified ones, of which there are at most two', () => {
    expect(justifiedTypeCycles.length).toBeLessThanOrEqual(2)
    expect(cycles(() => true)).toEqual(justifiedTypeCycles)
  })
})

describe('the source', () => {
  it('keeps SQL and the engines inside storage', () => {
    const knowsSql = pathsWhere(
      ({ path, text }) =>
        /from '(?:@photostructure\/sqlite|postgres)'|\b(?:SELECT|INSERT INTO|DELETE FROM)\b/.test(text) &&
        !/^storage\/(?:sql|sqlite|postgres)\//.test(path),
    )
    expect(knowsSql).toEqual([])
    const reachesIn = pathsWhere(
      ({ layer, imports }) =>
        layer !== 'storage' &&
        layer !== 'boot' &&
        imports.some(({ target }) => /^storage\/(?:sql|sqlite|postgres)\//.test(target)),
    )
    expect(reachesIn).toEqual([])
  })

  it('keeps statuses and headers inside http', () => {
    expect(pathsWhere(({ layer, text }) => /from 'fastify'/.test(text) && !['http', 'boot'].includes(layer))).toEqual(
      [],
    )
  })

  it('reads the environment only in config', () => {
    expect(pathsWhere(({ text }) => /process\.env/.test(text))).toEqual(['config/config.ts'])
  })

  it('can be followed by go-to-definition: no Proxy below http', () => {
    expect(pathsWhere(({ layer, text }) => layer !== 'http' && /\bnew Proxy\b/.test(text))).toEqual([])
  })

  it('makes a scope for everyone only where a caller is authenticated, and in the upkeep of the operator', () => {
    expect(pathsWhere(({ text }) => /everyoneScope\(|kind: 'everyone'/.test(text)).sort()).toEqual([
      'core/scope.ts',
      expect.stringMatching(/^http\/(?:authenticate|access\/caller-scope)\.ts$/),
      'service/store/keys-in-flight.ts',
      'service/upkeep/cleanup-schedule.ts',
      'service/upkeep/consolidation-schedule.ts',
      'service/upkeep/event-upkeep.ts',
      'service/upkeep/re-embed.ts',
      'service/upkeep/recover-inbox.ts',
      'service/webhooks/webhook-delivery.ts',
    ])
  })

  it('imports packages at the top of a file: code that an earlier start compiled cannot import them later', () => {
    expect(pathsWhere(({ text }) => /\bimport\('(?!\.)/.test(text))).toEqual([])
  })

  it('keeps a source file within 400 lines', () => {
    expect(pathsWhere(({ text }) => text.split('\n').length > 400)).toEqual([])
  })
})

describe('the rooms for language, facts, guard and ingest', () => {
  const rooms = ['language', 'facts', 'guard', 'ingest']
  const inRooms = files.filter(({ layer }) => rooms.includes(layer))

  it('keep a line within 200 characters', () => {
    const long = inRooms.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (line.length > 200 ? [`${path}:${index + 1}`] : [])),
    )
    expect(long).toEqual([])
  })

  it('keep a function within 60 lines', () => {
    const long = inRooms.flatMap(({ path, text }) =>
      functionsOf(text).flatMap(({ line, lines }) => (lines > 60 ? [`${path}:${line} has ${lines} lines`] : [])),
    )
    expect(long).toEqual([])
  })

  it('keep a folder within 25 files, tests included', () => {
    const full = rooms
      .flatMap((room) => [
        room,
        ...readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((path) => `${room}/${posix(path)}`),
      ])
      .filter((path) => !path.endsWith('.ts'))
      .map((path) => ({ path, count: readdirSync(join(root, path)).filter((name) => name.endsWith('.ts')).length }))
      .filter(({ count }) => count > 25)
    expect(full).toEqual([])
  })
})

describe('measuring functions', () => {
  it('finds functions, methods and arrow functions, also with parameters on several lines', () => {
    const text = [
      'export function first(): void {',
      '  if (yes) {',
      '    no()',
      '  }',
      '}',
      'class Second {',
      '  private third(',
      '    a: string,',
      '  ): void {',
      '  }',
      '  fourth = (b: string): void => {',
      '  }',
      '}',
    ].join('\n')
    expect(functionsOf(text)).toEqual([
      { line: 1, lines: 5 },
      { line: 7, lines: 4 },
      { line: 11, lines: 2 },
    ])
  })
})
