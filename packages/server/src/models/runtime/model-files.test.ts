import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { addVerifiedFiles, checkModelFile, ModelFileError, readLocalModel, verifiedFiles } from './model-files.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const weights = 'w'.repeat(3_000_000)
const manifest = {
  id: 'm-1',
  kind: 'embedder',
  dimensions: 4,
  maxTokens: 8,
  weights: { file: 'weights', bytes: weights.length, sha256: sha256(weights) },
  tokenizer: { file: '../tokenizer.json', bytes: 2, sha256: sha256('{}') },
}
const oneLine = /^[^\n]*; "git checkout -- models" brings it back, or clone again$/

describe('the files of a model', () => {
  const made: string[] = []
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-model-'))
    made.push(directory)
    await writeFile(join(directory, 'model.json'), JSON.stringify(manifest))
    await writeFile(join(directory, 'weights'), weights)
  })
  afterAll(async () => {
    for (const path of made) await rm(path, { recursive: true })
  })

  it('ship with the service, complete', async () => {
    for (const [kind, name] of [
      ['embedder', 'keepsake-embed'],
      ['reranker', 'keepsake-rerank'],
      ['embedder', 'stock'],
    ] as const) {
      const model = await readLocalModel(kind, name)
      await checkModelFile(model.weights)
      await checkModelFile(model.tokenizer)
    }
  })

  it('are verified once, and again after they were written to', async () => {
    const model = await readLocalModel('embedder', 'any', directory)
    const known = () => verifiedFiles().filter((file) => file.startsWith(directory))
    await checkModelFile(model.weights)
    await checkModelFile(model.weights)
    expect(known()).toHaveLength(1)
    const damaged = weights.replace('w', 'x')
    await writeFile(join(directory, 'weights'), damaged)
    // Even where the clock of the file system is too coarse.
    await utimes(join(directory, 'weights'), 1, 1)
    await expect(checkModelFile(model.weights)).rejects.toThrow(/is damaged \(its SHA-256/)
    expect(known()).toHaveLength(1)
  })

  it('are not verified again where another thread has done it', async () => {
    const model = await readLocalModel('embedder', 'any', directory)
    const damaged = { ...model.weights, sha256: sha256('something else') }
    await checkModelFile(model.weights)
    await expect(checkModelFile(damaged)).rejects.toThrow(/is damaged/)
    const [file = ''] = verifiedFiles().filter((known) => known.startsWith(directory))
    addVerifiedFiles([file.replace(model.weights.sha256, damaged.sha256)])
    await checkModelFile(damaged)
  })

  it('are described by model.json, with paths relative to its folder', async () => {
    const model = await readLocalModel('embedder', 'any', directory)
    expect(model).toMatchObject({ id: 'm-1', kind: 'embedder', dimensions: 4, maxTokens: 8 })
    expect(model.weights).toEqual({ ...manifest.weights, file: undefined, path: join(directory, 'weights') })
    expect(model.tokenizer.path).toBe(join(directory, '..', 'tokenizer.json'))
    await checkModelFile(model.weights)
  })

  it.each([
    ['no JSON', 'oops', /JSON/],
    ['nothing', 'null', /"kind"/],
    ['another kind', { ...manifest, kind: 'reranker' }, /"kind" is not "embedder"/],
    ['no id', { ...manifest, id: '' }, /"id"/],
    ['half a dimension', { ...manifest, dimensions: 0.5 }, /"dimensions"/],
    ['no limit', { ...manifest, maxTokens: undefined }, /"maxTokens"/],
    ['no weights', { ...manifest, weights: undefined }, /"weights\.file"/],
    ['a short sum', { ...manifest, weights: { ...manifest.weights, sha256: 'abc' } }, /"weights\.sha256"/],
    ['no size', { ...manifest, tokenizer: { ...manifest.tokenizer, bytes: '2' } }, /"tokenizer\.bytes"/],
  ])('are rejected if model.json contains %s', async (_, content, reason) => {
    await writeFile(join(directory, 'model.json'), typeof content === 'string' ? content : JSON.stringify(content))
    const reading = readLocalModel('embedder', 'any', directory)
    await expect(reading).rejects.toThrow(oneLine)
    await expect(reading).rejects.toThrow(reason)
    await expect(reading).rejects.toThrow(join(directory, 'model.json'))
    await expect(reading).rejects.toBeInstanceOf(ModelFileError)
  })

  it('are rejected if model.json is missing', async () => {
    await rm(join(directory, 'model.json'))
    const reading = readLocalModel('embedder', 'any', directory)
    await expect(reading).rejects.toThrow(oneLine)
    await expect(reading).rejects.toThrow(`${join(directory, 'model.json')} is missing`)
  })

  it.each([
    ['missing', () => rm(join(directory, 'weights')), /is missing/],
    ['cut short', () => writeFile(join(directory, 'weights'), 'w'), /it has 1 bytes, but model\.json says 3000000/],
    ['changed by a byte', () => writeFile(join(directory, 'weights'), `v${weights.slice(1)}`), /its SHA-256 is not/],
  ])('are rejected if one is %s', async (_, harm, reason) => {
    const model = await readLocalModel('embedder', 'any', directory)
    await harm()
    const checking = checkModelFile(model.weights)
    await expect(checking).rejects.toThrow(oneLine)
    await expect(checking).rejects.toThrow(reason)
    await expect(checking).rejects.toThrow(join(directory, 'weights'))
  })

  it.skipIf(process.getuid?.() === 0)('are rejected if one is not readable', async () => {
    const model = await readLocalModel('embedder', 'any', directory)
    await chmod(join(directory, 'weights'), 0)
    await expect(checkModelFile(model.weights)).rejects.toThrow(/cannot be read \(EACCES\)/)
  })

  it('point to npm when they belong to a package', () => {
    expect(new ModelFileError('/x/node_modules/y/weights', 'is missing').message).toMatch(
      /; install the package again with npm$/,
    )
  })
})
