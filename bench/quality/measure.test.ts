import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeEmbedder } from '../../packages/server/src/models/embedder/fake-embedder.js'
import type { Embedder } from '../../packages/server/src/models/models.js'
import type { Services } from './ask.js'
import type { Contender } from './contenders.js'
import { featureWriter, readFeatures } from './features.js'
import { measureTask } from './measure.js'
import { summarize } from './metrics.js'
import { missedQuestions } from './misses.js'
import { type MeasuredService, openService } from './service.js'
import { type System, systemsOf } from './systems.js'
import { type RetrievalTask, turnsAsStored } from './task.js'

const day = 86_400_000
const start = Date.UTC(2024, 0, 1)
const embedded: string[] = []

function embedderNamed(modelId: string): Embedder {
  const inner = fakeEmbedder()
  return {
    ...inner,
    modelId,
    embed(texts) {
      embedded.push(...texts)
      return inner.embed(texts)
    },
  }
}

const contenders: [Contender, ...Contender[]] = [
  { id: 'plain', name: 'plain', context: false, open: async () => embedderNamed('plain') },
  { id: 'served', name: 'served', context: true, open: async () => embedderNamed('served') },
]

const said = turnsAsStored([
  { speaker: 'Ana', text: 'Which instrument do you play?' },
  { speaker: 'João', text: 'The violoncello, since I was nine.' },
  { speaker: 'Ana', text: 'I planted tomatoes on the balcony.' },
  { speaker: 'João', text: 'My sister moved to Coimbra.' },
])

const task: RetrievalTask = {
  name: 'tiny',
  title: 'A tiny talk',
  unit: 'key',
  recallLimit: 20,
  smallSplit: 'all',
  async *load() {
    yield {
      id: 'tiny/talk',
      documents: said.map((turn, index) => ({
        ...turn,
        key: `t${index}`,
        session: 's',
        createdAt: start + index * 1000,
      })),
      questions: [
        { id: 'q0', text: 'Who planted tomatoes on the balcony?', category: 'one', gold: ['t2'], answerable: true },
        { id: 'q1', text: 'What zeppelin?', category: 'two', gold: ['nowhere'], answerable: true },
        {
          id: 'q2',
          text: 'Who has a zeppelin?',
          category: 'none',
          gold: [],
          answerable: false,
          askedAt: start + 9 * day,
        },
      ],
    }
  },
}

describe('measuring', () => {
  let directory = ''
  const running: MeasuredService[] = []
  let services: Services = new Map()

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quality-'))
    const opened = new Map<Contender, MeasuredService>()
    for (const contender of contenders) {
      const service = await openService(join(directory, contender.id), await contender.open())
      running.push(service)
      opened.set(contender, service)
    }
    services = opened
  })

  afterAll(async () => {
    for (const service of running) await service.close()
    await rm(directory, { recursive: true, force: true })
  })

  const source = { directory: '', full: true }
  // The reranker is a real model, and not under test here.
  const systems = () => systemsOf(contenders, true).filter(({ rerank }: System) => !rerank)

  it('asks every system every question through the service itself', async () => {
    const misses = missedQuestions()
    const { outcomes, corpora, documents } = await measureTask(services, task, source, systems(), [misses])
    expect([corpora, documents]).toEqual([1, 4])
    expect([...outcomes.keys()]).toEqual(
      expect.arrayContaining(['BM25', 'plain', 'served', 'fused', 'fused, no keyword']),
    )
    for (const [name, found] of outcomes) {
      expect(
        found.map(({ id }) => id),
        name,
      ).toEqual(['q0', 'q1', 'q2'])
      // All four turns are always found; their order depends on the system.
      expect(summarize(found)?.metrics['any@5'], name).toBe(0.5)
    }
    expect(outcomes.get('BM25')?.[0]?.ranks).toEqual([1])
    expect(outcomes.get('fused')?.[0]?.ranks).toEqual([1])
    expect(misses.markdown(5)).toMatch(/1 questions? without evidence[\s\S]*What zeppelin\?[\s\S]*beyond 4/)
  })

  it('embeds turns with context only for the embedder trained with it, and only if context is enabled', async () => {
    embedded.length = 0
    const fresh = {
      ...task,
      load: async function* () {
        for await (const corpus of task.load(source)) yield { ...corpus, id: 'tiny/again' }
      },
    }
    const answer = 'João: The violoncello, since I was nine.'
    await measureTask(
      services,
      fresh,
      source,
      systems().filter(({ name }) => name === 'plain'),
      [],
    )
    expect(embedded).toContain(answer)
    embedded.length = 0
    await measureTask(
      services,
      fresh,
      source,
      systems().filter(({ name }) => name === 'served'),
      [],
    )
    expect(embedded).toContain(`${answer} (after Ana: Which instrument do you play?)`)
    expect(embedded).not.toContain(answer)
    await measureTask(
      services,
      fresh,
      source,
      systems().filter(({ name }) => name === 'fused, no context'),
      [],
    )
    expect(embedded).toContain(answer)
  })

  it('writes the scores of each signal, and reads them back', async () => {
    const scores = {
      modelId: 'none',
      score: async (_: string, texts: readonly string[]) => texts.map(() => 0.5),
      close: async () => undefined,
    }
    const features = featureWriter()
    const [fused] = systems().filter(({ name }) => name === 'fused')
    if (!fused) throw new Error('no such system')
    await measureTask(
      services,
      task,
      source,
      [{ ...fused, arrange: (deps) => ({ ...deps, reranker: scores }) }],
      [features],
    )
    const file = join(directory, 'features.jsonl.gz')
    await writeFile(file, await features.packed('served'))
    const read = await readFeatures(file)
    expect(read.modelId).toBe('served')
    expect(read.signals).toEqual(expect.arrayContaining(['semantic', 'keyword', 'graph', 'speaker', 'time']))
    expect(read.questions.map(({ id, answerable }) => [id, answerable])).toEqual([
      ['q0', true],
      ['q1', true],
      ['q2', false],
    ])
    const [first] = read.questions
    expect(first?.candidates).toHaveLength(4)
    expect(first?.candidates.map(([gold]) => gold)).toEqual([1, 0, 0, 0])
    expect(first?.candidates[0]?.at(-1)).toBe(0.5)
    expect(first?.candidates[0]).toHaveLength(read.signals.length + 2)
  })
})
