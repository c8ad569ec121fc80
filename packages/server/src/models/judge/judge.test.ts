import { copyFile, mkdir, mkdtemp, open, rm, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Judge } from '../models.js'
import { type LocalModel, readLocalModel } from '../runtime/model-files.js'
import { openLocalJudge } from './judge.js'
import { type Judgement, judgementWidth, type PairToJudge, type Relation, relations } from './judgement.js'

const pairOf = (old: string, fresh: string, follows = false): PairToJudge => ({ old, fresh, follows })
const likeliest = (judgement: Judgement | undefined): Relation | undefined =>
  judgement && [...relations].sort((a, b) => judgement.chances[b] - judgement.chances[a])[0]

describe('the judge', () => {
  let judge: Judge
  beforeAll(async () => {
    judge = await openLocalJudge()
  })
  afterAll(() => judge.close())

  it('loads the model that ships with the service', () => {
    expect(judge.modelId).toMatch(/^keepsake-judge-\d+$/)
  })

  it.each<[relation: Relation, old: string, fresh: string]>([
    ['replaces', 'I live in Oslo.', 'I moved to Bergen last week.'],
    ['replaces', 'The standup is at 9:30.', 'standup got pushed to 10'],
    ['replaces', 'My dentist is Dr. Bergström.', 'Actually my dentist is Dr. Berglund.'],
    ['replaces', 'The feature flag is enabled.', 'The feature flag is disabled.'],
    ['ends', 'We are vegan.', 'no longer vegan'],
    ['refines', 'I am allergic to peanuts.', 'Peanuts are off for me, allergic, and I always carry an EpiPen.'],
    ['ends', 'I play tennis on Mondays.', 'I quit tennis.'],
    ['same', 'I work at Volvo.', 'My employer is Volvo.'],
    ['adds', 'I have a cat called Miso.', 'I also have a dog called Rex.'],
    ['unrelated', 'I live in Oslo.', 'The build takes ten minutes.'],
  ])('says "%s" of %s → %s', async (relation, old, fresh) => {
    const [judgement] = await judge.judge([pairOf(old, fresh)])
    expect(likeliest(judgement), JSON.stringify(judgement?.chances)).toBe(relation)
  })

  it('sees the end of a habit in almost the same words', async () => {
    const [judgement] = await judge.judge([pairOf('I am vegan.', "I'm no longer vegan.")])
    expect(['replaces', 'ends']).toContain(likeliest(judgement))
  })

  // It overlooks negations and opposites, which the service's rules see.
  it.fails.each([
    ['I like olives.', "I don't like olives."],
    ['My sister is older than me.', 'My sister is younger than me.'],
  ])('does not say "same" of opposites: %s → %s', async (old, fresh) => {
    const [judgement] = await judge.judge([pairOf(old, fresh)])
    expect(likeliest(judgement)).not.toBe('same')
  })

  it('tells chatter from statements, by the message before', async () => {
    const turn = (text: string, before: string | null = null) => ({ before, text, isAssistant: false })
    const [thanks, statement, answer] = await judge.weigh([
      turn('lol ok thanks'),
      turn('I moved to Bergen'),
      turn('97', 'How many guests do you have?'),
    ])
    expect(thanks?.worth).toBeLessThan(0.1)
    expect(statement?.worth).toBeGreaterThan(0.9)
    expect(answer?.worth).toBeGreaterThan(0.5)
    expect(thanks?.changes).toBeLessThan(0.35)
    expect(statement?.changes).toBeGreaterThan(0.5)
    expect(await judge.weigh([])).toEqual([])
  })

  it('finds the words that become outdated', async () => {
    const old = "I'm 34, I work at Volvo, and I live in Gothenburg."
    const [judgement] = await judge.judge([pairOf(old, 'I moved to Copenhagen.')])
    const chance = (word: string) =>
      judgement?.words.find(({ start, end }) => old.slice(start, end).includes(word))?.outdated ?? Number.NaN
    expect(chance('Gothenburg')).toBeGreaterThan(0.5)
    expect(chance('34')).toBeLessThan(0.5)
    expect(chance('Volvo')).toBeLessThan(0.5)
  })

  it('locates the words of a long text with much white space in the original', async () => {
    const old = `I live   in    Oslo. ${'And more of it. '.repeat(200)}`
    const [judgement] = await judge.judge([pairOf(old, 'I moved to Bergen.')])
    expect(judgement?.words.slice(0, 4).map(({ start, end }) => old.slice(start, end))).toEqual([
      'I',
      'live',
      'in',
      'Oslo.',
    ])
  })

  it('judges a pair the same alone and in any batch, in the order of the pairs', async () => {
    const pairs = Array.from({ length: 30 }, (_, i) =>
      pairOf(
        `Boat ${i} ${'is a long way from the harbour '.repeat(i % 9)}leaves at ${i}`,
        `Boat ${i} leaves at ${i + 1} now`,
      ),
    )
    const together = await judge.judge(pairs)
    for (const index of [0, 7, 22, 29]) {
      const [alone] = await judge.judge([pairs[index] ?? pairOf('', '')])
      // Padding changes how the int8 layers round: the chances differ by less than a hundredth.
      expect(Math.abs((together[index]?.chances.replaces ?? 0) - (alone?.chances.replaces ?? 1))).toBeLessThan(0.01)
      expect(together[index]?.words.map(({ start, end }) => [start, end])).toEqual(
        alone?.words.map(({ start, end }) => [start, end]),
      )
    }
  })

  it('gives chances that add up to 1 for unusual and very long texts', async () => {
    const odd = ['', '\ud800', '\0', '日本語', 'e\u0301'.repeat(9_000), '[SEP][CLS]', `${' '.repeat(50_000)}plums`]
    const pairs = odd.flatMap((old) => odd.map((fresh) => pairOf(old, fresh, true)))
    for (const { chances, words } of await judge.judge(pairs)) {
      expect(relations.reduce((sum, relation) => sum + chances[relation], 0)).toBeCloseTo(1, 4)
      expect(words.every(({ outdated }) => outdated >= 0 && outdated <= 1)).toBe(true)
    }
  })

  it('returns nothing for no pairs', async () => {
    expect(await judge.judge([])).toEqual([])
  })
})

describe('the files of the judge', () => {
  let root: string
  let ours: LocalModel
  let weights: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-judge-'))
    ours = await readLocalModel('judge', 'keepsake-judge')
    await symlink(ours.tokenizer.path, join(root, basename(ours.tokenizer.path)))
    await symlink(join(ours.weights.path, '..', '..', 'keepsake-embed'), join(root, 'keepsake-embed'))
    await mkdir(join(root, 'model'))
    weights = join(root, 'model', basename(ours.weights.path))
    await copyFile(join(ours.weights.path, '..', 'model.json'), join(root, 'model', 'model.json'))
  })
  afterAll(() => rm(root, { recursive: true }))

  it('have their size checked at the start and their checksum on request, and a bad one is named in one line', async () => {
    const directory = join(root, 'model')
    await expect(openLocalJudge({ directory })).rejects.toThrow(/^The model file \S+safetensors is missing; .+$/)
    await copyFile(ours.weights.path, weights)
    const file = await open(weights, 'r+')
    await file.write(Buffer.from('harm'), 0, 4, 9_000_000)
    await file.close()
    await expect((await openLocalJudge({ directory })).loading?.verify()).rejects.toThrow(
      /^The model file \S+ is damaged \(its SHA-256.*$/,
    )
    await truncate(weights, 1_000)
    await expect(openLocalJudge({ directory })).rejects.toThrow(/^The model file \S+ is damaged \(it has 1000 bytes.*$/)
  })

  it('are verified again when the model loads: a file damaged since startup makes it unavailable', async () => {
    await copyFile(ours.weights.path, weights)
    const judge = await openLocalJudge({ directory: join(root, 'model') })
    await truncate(weights, 1_000)
    await expect(judge.judge([pairOf('a', 'b')])).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The judging model cannot be loaded',
      cause: { message: /is damaged \(it has 1000 bytes/ },
    })
    await judge.close()
  })
})

describe('the thread of the judge', () => {
  /** Gives every value 0.5, and crashes on the text "die". */
  const mortal = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', (message) => {
        if (message.kind === 'close') return parentPort.close()
        if (message.ask[0].fresh === 'die') throw new Error('a bug')
        const values = new Float32Array(message.ask.length * ${judgementWidth}).fill(0.5)
        parentPort.postMessage({ kind: 'answer', requestId: message.requestId, values })
      })
      parentPort.postMessage({ kind: 'ready' })`)}`,
  )

  it('starts with the first pair, and restarts after a crash', async () => {
    const judge = await openLocalJudge({ script: mortal })
    await expect(judge.judge([pairOf('a', 'die')])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await judge.judge([pairOf('a b', 'c')])).toMatchObject([
      { words: [{ outdated: 0.5 }, { start: 2, end: 3 }] },
    ])
    await judge.close()
  })

  it('rejects pairs beyond the queue limit', async () => {
    const judge = await openLocalJudge({ script: mortal, maxWaitingPairs: 2 })
    const pairs = [1, 2, 3].map(() => pairOf('a', 'b'))
    await expect(judge.judge(pairs)).rejects.toMatchObject({ code: 'unavailable', message: /at most 2/ })
    expect(await judge.judge(pairs.slice(1))).toHaveLength(2)
    await judge.close()
  })

  it('is not started by close, nor after it', async () => {
    const judge = await openLocalJudge({ script: new URL('data:text/javascript,throw new Error("started")') })
    await judge.close()
    await expect(judge.judge([pairOf('a', 'b')])).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
  })
})
