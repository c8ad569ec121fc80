/** Model files in a clone at an unusual path, and model files that are missing or truncated. */
import { cp, mkdir, mkdtemp, open, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAll, post, runService, runToEnd } from '../support/running-service.js'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const brought = '"git checkout -- models" brings it back, or clone again'

describe('a clone of the repository', () => {
  let root: string
  let clone: string
  let main: string
  let dataDir: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-clone-'))
    // Characters that break careless conversions between URLs and paths.
    clone = join(root, 'my clone #1 %20')
    dataDir = join(root, 'data')
    const server = join(clone, 'packages', 'server')
    main = join(server, 'dist', 'main.js')
    await mkdir(server, { recursive: true })
    await mkdir(dataDir)
    await cp(join(repository, 'packages/server/dist'), join(server, 'dist'), { recursive: true })
    await cp(join(repository, 'packages/server/package.json'), join(server, 'package.json'))
    await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'))
  })
  afterAll(async () => {
    await killAll()
    await rm(root, { recursive: true })
  })

  async function freshModels(): Promise<string> {
    const models = join(clone, 'models')
    await rm(models, { recursive: true, force: true })
    await cp(join(repository, 'models'), models, { recursive: true })
    return models
  }

  it('runs from any path, with all models', async () => {
    await freshModels()
    const service = await runService({ SERVICE_DATA_DIR: dataDir }, main)
    await post(`${service.url}/api/v1/store`, { user_id: 'ana', content: 'The ferry leaves at seven' })
    const asked = { user_id: 'ana', query: 'When does the ferry leave?', enable_rerank: true, explain: true }
    const { body } = await post(`${service.url}/api/v1/recall`, asked)
    expect(body).toMatchObject({
      memories: [{ content: 'The ferry leaves at seven', explain: { rerank: { rank: 1 } } }],
    })
    expect(body).not.toHaveProperty('degraded')
    service.process.kill('SIGTERM')
    expect((await service.finished).code).toBe(0)
  })

  it.each([
    ['no models at all', '', (models: string) => rm(models, { recursive: true }), 'model.json is missing'],
    ['no tokenizer', 'tokenizer.json', (path: string) => rm(path), 'is missing'],
    ['no tokenizer of all languages', 'tokenizer.multilingual.json', (path: string) => rm(path), 'is missing'],
    ['no embedder', 'keepsake-embed/weights.int8.safetensors', (path: string) => rm(path), 'is missing'],
    ['no guard', 'keepsake-guard/weights.int8.safetensors', (path: string) => rm(path), 'is missing'],
    ['no profile model', 'keepsake-profile/weights.int8.safetensors', (path: string) => rm(path), 'is missing'],
    ['no judge', 'keepsake-judge/weights.int8.safetensors', (path: string) => rm(path), 'is missing'],
    [
      'no guard of other languages',
      'keepsake-guard-languages/weights.int8.safetensors',
      (path: string) => rm(path),
      'is missing',
    ],
    [
      'no tagger of other languages',
      'keepsake-names/weights.int8.safetensors',
      (path: string) => rm(path),
      'is missing',
    ],
    ['no tagger', 'keepsake-tag/weights.int8.safetensors', (path: string) => rm(path), 'is missing'],
    [
      'a truncated reranker',
      'keepsake-rerank/weights.int8.safetensors',
      (path: string) => truncate(path, 9),
      'is damaged',
    ],
    ['a broken manifest', 'keepsake-rerank/model.json', (path: string) => writeFile(path, '{'), 'is damaged'],
  ])('does not start with %s, and explains it in one line', async (_, file, harm, problem) => {
    const models = await freshModels()
    await harm(join(models, file))
    const { code, errors } = await runToEnd({ SERVICE_DATA_DIR: dataDir }, dataDir, main)
    expect(errors.trimEnd().split('\n'), errors).toHaveLength(1)
    expect(errors).toMatch(/^keepsake: The model file /)
    expect(errors).toContain(join(models, file))
    expect(errors).toContain(problem)
    expect(errors).toContain(brought)
    expect(code).toBe(1)
  })

  it('is not ready with weights that have the right size and the wrong bytes, and the log names the file', async () => {
    const models = await freshModels()
    const path = join(models, 'keepsake-embed/weights.int8.safetensors')
    const file = await open(path, 'r+')
    await file.write(Buffer.from('harm'), 0, 4, 20_000_000)
    await file.close()
    const service = await runService({ SERVICE_DATA_DIR: dataDir }, main)
    const { status } = await post(`${service.url}/api/v1/store`, { user_id: 'ana', content: 'The ferry is late' })
    expect(status).toBe(503)
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(503)
    const health = await fetch(`${service.url}/api/v1/health`)
    expect(health.status).toBe(503)
    const explained = expect.stringContaining('the embedder cannot be loaded, see the log')
    expect(await health.json()).toMatchObject({ checks: { models: explained } })
    service.process.kill('SIGTERM')
    const { code, output } = await service.finished
    expect(code).toBe(0)
    expect(output).toContain(`The model file ${path} is damaged`)
  })

  it('contains exactly the weights that the manifests name', async () => {
    const files = await readdir(join(repository, 'models'), { recursive: true })
    const weights = files.filter((file) => file.endsWith('.safetensors')).sort()
    const named = ['embed', 'guard', 'guard-languages', 'judge', 'names', 'profile', 'rerank', 'tag'].map(
      (name) => `keepsake-${name}/weights.int8.safetensors`,
    )
    // The cross-validation weights of the guard are for benchmarks; the service never reads them.
    expect(weights).toEqual(['keepsake-guard/cross-validation.int8.safetensors', ...named].sort())
  })
})
