import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEmbedder } from '../embedder/local-embedder.js'
import type { Embedder } from '../models.js'
import { readWeightsModel } from '../runtime/model-files.js'
import { openWorthModel, type WorthModel } from './worth.js'

describe('the model that recognises chatter', () => {
  let embedder: Embedder
  let model: WorthModel
  beforeAll(async () => {
    embedder = await openLocalEmbedder()
    model = await openWorthModel()
  })
  afterAll(() => embedder.close())

  const worth = async (text: string) => {
    const [vector = new Float32Array()] = await embedder.embed([text])
    return model.worth(embedder.modelId, vector, { text, isAssistant: false, isAfterQuestion: false })
  }

  it('ships with the service', () => {
    expect(model.modelId).toMatch(/^keepsake-worth-\d+$/)
  })

  it.each(['lol ok thanks', 'haha that is so true', 'Good morning, how are you?'])(
    'rates chatter low: %s',
    async (text) => {
      expect(await worth(text)).toBeLessThan(0.3)
    },
  )

  it.each(['I am allergic to peanuts.', 'My sister Anna works at Volvo.', 'we moved the standup to 10'])(
    'rates a statement high: %s',
    async (text) => {
      expect(await worth(text)).toBeGreaterThan(0.6)
    },
  )

  it('has no opinion on vectors that it was not trained with', async () => {
    const said = { text: 'lol', isAssistant: false, isAfterQuestion: false }
    const [vector = new Float32Array()] = await embedder.embed(['lol'])
    expect(model.worth('another-embedder', vector, said)).toBeNull()
    expect(model.worth(embedder.modelId, vector.slice(1), said)).toBeNull()
  })
})

describe('the file of the model that recognises chatter', () => {
  it('is verified, and a bad one is named in one line', async () => {
    const { weights } = await readWeightsModel('keepsake-worth', 'worth')
    const directory = await mkdtemp(join(tmpdir(), 'keepsake-worth-'))
    const copy = join(directory, basename(weights.path))
    await copyFile(join(weights.path, '..', 'model.json'), join(directory, 'model.json'))
    await expect(openWorthModel(directory)).rejects.toThrow(/^The model file \S+safetensors is missing; .+$/)
    const bytes = await readFile(weights.path)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    await writeFile(copy, bytes)
    await expect(openWorthModel(directory)).rejects.toThrow(/is damaged \(its SHA-256.*$/)
    await truncate(copy, 100)
    await expect(openWorthModel(directory)).rejects.toThrow(/is damaged \(it has 100 bytes/)
    await rm(directory, { recursive: true })
  })
})
