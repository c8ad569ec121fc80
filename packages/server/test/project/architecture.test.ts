/** The arrows of docs/architecture.md, checked: main → {http, mcp} → service → {ingest, retrieval} → {models, storage} → core. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** What a room may import, beside itself. */
const allowed: Record<string, readonly string[]> = {
  main: ['boot', 'config', 'http', 'mcp', 'service', 'ingest', 'retrieval', 'models', 'storage', 'audit', 'core'],
  boot: ['main', 'config', 'http', 'mcp', 'service', 'ingest', 'retrieval', 'models', 'storage', 'audit', 'core'],
  config: ['core'],
  http: ['config', 'service', 'storage', 'audit', 'core'],
  mcp: ['service', 'storage', 'audit', 'core'],
  service: ['ingest', 'retrieval', 'models', 'storage', 'audit', 'core'],
  ingest: ['models', 'storage', 'core'],
  retrieval: ['models', 'storage', 'core'],
  models: ['core'],
  storage: ['core'],
  audit: ['core'],
  core: [],
}

interface SourceFile {
  readonly path: string
  readonly room: string
  readonly text: string
  readonly imports: readonly string[]
}

function roomOf(path: string): string {
  const [first = '', ...rest] = path.split(sep)
  return rest.length === 0 ? 'main' : first
}

function sources(): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        path.endsWith('.ts') &&
        !path.endsWith('.test.ts') &&
        !path.endsWith('.contract.ts') &&
        !/^storage.contract\b/.test(path),
    )
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
      const imports = specifiers.map((specifier) => relative(root, resolve(join(root, dirname(path)), specifier)))
      return { path, room: roomOf(path), text, imports }
    })
}

const files = sources()

describe('the rooms', () => {
  it('has files to check in every room that exists', () => {
    const rooms = new Set(files.map((file) => file.room))
    for (const room of [
      'main',
      'http',
      'mcp',
      'service',
      'ingest',
      'retrieval',
      'models',
      'storage',
      'audit',
      'core',
    ]) {
      expect(rooms, room).toContain(room)
    }
  })

  it('imports downwards only, and no sibling', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .map((target) => ({ target, room: roomOf(target) }))
        .filter(({ room }) => room !== file.room && !(allowed[file.room] ?? []).includes(room))
        .map(({ target }) => `${file.path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('keeps SQL and the engine inside storage/<engine>', () => {
    const knowsSql = files.filter(
      (file) =>
        /@photostructure\/sqlite|\b(?:SELECT|INSERT INTO|DELETE FROM)\b/.test(file.text) &&
        !/^storage.[a-z]+./.test(file.path),
    )
    expect(knowsSql.map((file) => file.path)).toEqual([])
    const reachesIn = files.filter(
      (file) =>
        file.room !== 'storage' &&
        file.room !== 'boot' &&
        file.room !== 'main' &&
        file.imports.some((target) => /^storage.sqlite/.test(target)),
    )
    expect(reachesIn.map((file) => file.path)).toEqual([])
  })

  it('keeps statuses and headers inside http', () => {
    const knowsHttp = files.filter(
      (file) => /from 'fastify'/.test(file.text) && !['http', 'boot', 'main'].includes(file.room),
    )
    expect(knowsHttp.map((file) => file.path)).toEqual([])
  })

  it('reads the environment in config.ts alone', () => {
    const readers = files.filter((file) => /process\.env/.test(file.text)).map((file) => file.path)
    expect(readers).toEqual(['config/config.ts'])
  })

  it('makes a scope that covers everyone only at the door and in work of the operator’s own: the scheduled cleanup, embedding anew, the inbox, answers that are too old, events and webhooks', () => {
    const makers = files.filter((file) => /everyoneScope\(|kind: 'everyone'/.test(file.text)).map((file) => file.path)
    expect(makers.sort()).toEqual(
      [
        'core/scope.ts',
        'http/authenticate.ts',
        'service/store/keys-in-flight.ts',
        'service/upkeep/cleanup-schedule.ts',
        'service/upkeep/event-upkeep.ts',
        'service/upkeep/re-embed.ts',
        'service/upkeep/recover-inbox.ts',
        'service/webhooks/webhook-delivery.ts',
      ].map((path) => path.split('/').join(sep)),
    )
  })

  it('keeps a source file within 400 lines', () => {
    const long = files
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length }))
      .filter(({ lines }) => lines > 400)
    expect(long).toEqual([])
  })
})
