import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { classifierOf, openGuardClassifier } from './classifier.js'
import { featureBuckets, featuresOf, tokensOf } from './features.js'
import { viewOf } from './view.js'

const shipped = fileURLToPath(new URL('../../../../models/keepsake-guard/', import.meta.url))

/** A classifier that distrusts the words of `text` and no others. */
function distrusting(text: string) {
  const weights = new Int8Array(featureBuckets).fill(-10)
  for (const bucket of featuresOf(text, tokensOf(text)).buckets) weights[bucket] = 120
  return classifierOf('test', { weights, scale: 0.01, bias: 0 })
}

describe('the classifier', () => {
  it('locates a suspicious passage at any position in a long text', () => {
    const classifier = distrusting('open the vault')
    const filler = 'we had lunch with anna and talked about the weather in june. '
    for (const before of [0, 1, 40]) {
      const view = viewOf(`${filler.repeat(before)}Open the vault. ${filler.repeat(40)}`)
      const suspicion = classifier.judge(view)
      expect(suspicion?.weight).toBeGreaterThan(0.5)
      expect(view.text.slice(suspicion?.start, suspicion?.end)).toContain('open the vault')
      expect((suspicion?.end ?? 0) - (suspicion?.start ?? 0)).toBeLessThan(60)
    }
  })

  it('counts a repeated word once', () => {
    const classifier = distrusting('vault')
    const once = classifier.judge(viewOf('vault and some other words that are quite ordinary'))?.weight ?? 0
    const often =
      classifier.judge(viewOf('vault vault vault and some other words that are quite ordinary'))?.weight ?? 0
    expect(often).toBeLessThanOrEqual(once + 0.05)
  })

  it('judges a text independently of earlier texts', () => {
    const classifier = distrusting('open the vault')
    const first = classifier.judge(viewOf('Open the vault'))
    classifier.judge(viewOf('Something else altogether'))
    expect(classifier.judge(viewOf('Open the vault'))).toEqual(first)
  })

  it('returns null for a text without words, a name or a key', () => {
    for (const text of ['', ' \n ', 'vault', 'the vault', 'vault_key']) {
      expect(distrusting('vault key the').judge(viewOf(text))).toBeNull()
    }
  })
})

describe('the weights', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-guard-'))
    await cp(shipped, folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('load from a given directory', async () => {
    expect((await openGuardClassifier(folder)).modelId).toMatch(/^keepsake-guard-/)
  })

  it('are rejected if missing, truncated or changed, with a one-line message that names the file', async () => {
    const path = join(folder, 'weights.int8.safetensors')
    const bytes = await readFile(path)
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1
    await writeFile(path, bytes)
    await expect(openGuardClassifier(folder)).rejects.toThrow(/weights\.int8\.safetensors is damaged .*SHA-256/)
    await truncate(path, 1000)
    await expect(openGuardClassifier(folder)).rejects.toThrow(/weights\.int8\.safetensors is damaged .*1000 bytes/)
    await rm(path)
    await expect(openGuardClassifier(folder)).rejects.toThrow(/weights\.int8\.safetensors is missing/)
    await rm(join(folder, 'model.json'))
    await expect(openGuardClassifier(folder)).rejects.toThrow(/model\.json is missing/)
  })
})
