import { describe, expect, it } from 'vitest'
import { lazyValidators } from '../http/body/lazy-validators.js'
import type { Loadable, LoadState } from '../models/models.js'
import type { Deps } from '../service/deps.js'
import { loadModels } from './load-models.js'
import type { Opened } from './open.js'

function opened(problem?: string) {
  const [events, logged]: [string[], string[]] = [[], []]
  const modelOf = (name: string): { loading: Loadable } => ({
    loading: {
      async load() {
        events.push(`load ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        events.push(`${name} done`)
        if (name === problem) throw new Error('no file')
      },
      async verify() {
        events.push(`verify ${name}`)
      },
      state: (): LoadState => 'not loaded',
    },
  })
  const parts = {
    embedder: modelOf('embedder'),
    tagger: modelOf('tagger'),
    judge: modelOf('judge'),
    reranker: modelOf('reranker'),
    guard: {
      inspect: () => {
        events.push('guard')
        return { trustScore: 1, findings: [] }
      },
    },
    countTokens: () => events.push('tokens'),
    logger: { error: (_: object, message: string) => logged.push(message) },
  }
  // Only these parts are used.
  return { events, logged, opened: parts as unknown as Opened }
}

const wired = (isDraining: () => boolean, readFirst = 0) => ({
  // Only this setting is used.
  deps: { settings: { readFirst } as Deps['settings'] },
  validators: lazyValidators(),
  lifecycle: {
    isReady: true,
    get isDraining() {
      return isDraining()
    },
  },
})

const inOrder = [
  'load embedder',
  'embedder done',
  'tokens',
  'guard',
  'guard',
  'load tagger',
  'tagger done',
  'verify judge',
  'verify reranker',
]

describe('loading in the background', () => {
  it('does one thing after another, and only verifies the files of models that many never need', async () => {
    const { events, opened: parts } = opened()
    await loadModels(
      parts,
      wired(() => false),
    )
    expect(events).toEqual(inOrder)
  })

  it('loads the reranker if every recall needs it', async () => {
    const { events, opened: parts } = opened()
    await loadModels(
      parts,
      wired(() => false, 5),
    )
    expect(events.slice(-3)).toEqual(['verify judge', 'load reranker', 'reranker done'])
  })

  it('logs a model that cannot be loaded, and continues', async () => {
    const { events, logged, opened: parts } = opened('embedder')
    await loadModels(
      parts,
      wired(() => false),
    )
    expect(events).toEqual(inOrder)
    expect(logged).toEqual(['the embedder cannot be loaded'])
  })

  it('stops when the service is closing', async () => {
    const { events, opened: parts } = opened()
    await loadModels(
      parts,
      wired(() => events.includes('tokens')),
    )
    expect(events).toEqual(['load embedder', 'embedder done', 'tokens'])
  })
})
