import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import { cachedReader } from './reading-cache.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reading-cache-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Treats every first word as a person; `asked` records its input. */
function readerOf(score = 0.5) {
  const asked: string[] = []
  const reader: SpanReader = {
    modelId: 'first-words',
    async read(sentences) {
      asked.push(...sentences)
      return sentences.map((sentence) => {
        const end = sentence.indexOf(' ')
        return { spans: end < 0 ? [] : [{ start: 0, end, type: 'PERSON', score }], relations: [] }
      })
    },
    close: async () => undefined,
  }
  return { reader, asked }
}

describe('the cache of readings', () => {
  it('reads a sentence once, in this run and in the next, and answers in order', async () => {
    const first = readerOf()
    const expected = await first.reader.read(['Ada sings.', 'Yes.', 'Ada sings.'])
    first.asked.length = 0
    const cached = await cachedReader(first.reader, directory)
    first.asked.length = 0
    expect(await cached.read(['Ada sings.', 'Yes.', 'Ada sings.'])).toEqual(expected)
    expect(await cached.read(['Yes.', 'Ada sings.', 'Bob sings.'])).toHaveLength(3)
    expect(first.asked).toEqual(['Ada sings.', 'Yes.', 'Bob sings.'])

    const second = readerOf()
    const again = await cachedReader(second.reader, directory)
    second.asked.length = 0
    expect(await again.read(['Ada sings.', 'Yes.', 'Ada sings.'])).toEqual(expected)
    expect(second.asked).toEqual([])
  })

  it('discards the cache of a different model with the same name', async () => {
    await (await cachedReader(readerOf().reader, directory)).read(['Ada sings.'])
    const other = readerOf(0.9)
    const [reading] = await (await cachedReader(other.reader, directory)).read(['Ada sings.'])
    expect(reading?.spans[0]?.score).toBe(0.9)
  })

  it('reads again a sentence that an interrupted run cut off', async () => {
    const expected = await (await cachedReader(readerOf().reader, directory)).read(['Ada sings.'])
    const [file = ''] = await readdir(directory)
    const { size } = await stat(join(directory, file))
    await truncate(join(directory, file), size - 10)
    for (const run of ['the next', 'the one after it']) {
      const cached = await cachedReader(readerOf().reader, directory)
      expect(await cached.read(['Ada sings.']), run).toEqual(expected)
    }
  })
})
