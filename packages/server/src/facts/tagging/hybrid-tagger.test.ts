import { describe, expect, it } from 'vitest'
import type { EntityMention } from '../../core/entity.js'
import type { Loadable, LoadState } from '../../models/models.js'
import type { SpanReader } from '../../models/tagger/span-reader.js'
import type { Reading, SpanSeen } from '../../models/tagger/tag-reading.js'
import type { RelationName } from '../../models/tagger/tag-relation-head.js'
import { hybridTagger } from './hybrid-tagger.js'

const speaker: EntityMention = { name: 'u1', type: 'PERSON', key: 'user:u1', aliases: [] }
const nothing: Reading = { spans: [], relations: [] }

function readerOf(read: (sentence: string) => Reading | Promise<Reading>, asked: string[] = []): SpanReader {
  return {
    modelId: 'test',
    read: (sentences) => {
      asked.push(...sentences)
      return Promise.all(sentences.map(read))
    },
    close: async () => undefined,
  }
}

function reading(
  sentence: string,
  names: [string, SpanSeen['type']][],
  relation?: [number, RelationName, number, number],
): Reading {
  const spans = names.map(([name, type]) => {
    const start = sentence.indexOf(name)
    return { start, end: start + name.length, type, score: 0.9 }
  })
  if (!relation) return { spans, relations: [] }
  const [head, name, tail, score] = relation
  return { spans, relations: [{ head, tail, name, score }] }
}

const relationsOf = async (text: string, read: (sentence: string) => Reading) => {
  const [tagged] = await hybridTagger(readerOf(read)).tag([{ text, speaker }])
  return (tagged?.relationships ?? []).map(({ sourceKey, type, targetKey }) => `${sourceKey} ${type} ${targetKey}`)
}

describe('the tagger of model and rules', () => {
  it('sends all sentences of all texts to the model in one call, and assigns the results to their texts', async () => {
    const asked: string[] = []
    const tagger = hybridTagger(
      readerOf((sentence) => (sentence === 'Zuri sings.' ? reading(sentence, [['Zuri', 'PERSON']]) : nothing), asked),
    )
    const tagged = await tagger.tag([
      { text: 'It rained. Zuri sings.', speaker },
      { text: 'Nothing here.', speaker },
    ])
    expect(asked).toEqual(['It rained.', 'Zuri sings.', 'Nothing here.'])
    expect(tagged.map(({ entities }) => entities.map(({ key }) => key))).toEqual([['zuri'], []])
    expect(tagger.lastCallFailed()).toBe(false)
  })

  it('adds a confident relation of the model without a slot, so that a guess replaces nothing', async () => {
    const text = 'Zuri, chairman of Quandrix, smiled.'
    const read = (sentence: string) =>
      reading(
        sentence,
        [
          ['Zuri', 'PERSON'],
          ['Quandrix', 'ORG'],
        ],
        [0, 'Work_For', 1, 0.95],
      )
    const [tagged] = await hybridTagger(readerOf(read)).tag([{ text, speaker }])
    expect(tagged?.relationships).toEqual([
      { sourceKey: 'zuri', targetKey: 'quandrix', type: 'WORKS_AT', properties: {}, exclusive: false },
    ])
    expect(tagged?.slots.filter(({ slot }) => slot.startsWith('WORKS_AT|'))).toEqual([])
  })

  it.each([
    ['is unsure', 'Zuri met Quandrix.', 0.4],
    ['describes something that is over', 'Zuri, no longer with Quandrix, smiled.', 0.99],
    ['repeats hearsay', 'Tom thinks that Zuri runs Quandrix.', 0.99],
    ['is a question', 'Does Zuri run Quandrix?', 0.99],
  ])('takes no relation from a sentence that %s', async (_, text, score) => {
    const read = (sentence: string) =>
      reading(
        sentence,
        [
          ['Zuri', 'PERSON'],
          ['Quandrix', 'ORG'],
        ],
        [0, 'Work_For', 1, score],
      )
    expect(await relationsOf(text, read)).toEqual([])
  })

  it('does not let the model marry a couple that is engaged', async () => {
    const read = (sentence: string) =>
      reading(
        sentence,
        [
          ['Clara', 'PERSON'],
          ['Zuri', 'PERSON'],
        ],
        [0, 'SPOUSE_OF', 1, 0.99],
      )
    expect(await relationsOf('The engagement of Clara and Zuri was a surprise.', read)).toEqual([])
    expect(await relationsOf('Clara is engaged to Zuri.', read)).toEqual(['clara RELATED_TO zuri'])
  })

  it('drops a capitalised word that only the rules noticed, unless a relationship uses it', async () => {
    const [talk, work] = await hybridTagger(readerOf(() => nothing)).tag([
      { text: 'We discussed the Quandrix for ages.', speaker },
      { text: 'My employer is Quandrix.', speaker },
    ])
    expect(talk?.entities.map(({ key }) => key)).not.toContain('quandrix')
    expect(work?.entities).toContainEqual({ name: 'Quandrix', type: 'ORG', key: 'quandrix', aliases: [] })
  })

  it('prefers the rules’ relation where both have one', async () => {
    const read = (sentence: string) =>
      reading(
        sentence,
        [
          ['Zuri', 'PERSON'],
          ['Quandrix', 'ORG'],
        ],
        [0, 'MEMBER_OF', 1, 0.99],
      )
    expect(await relationsOf('Zuri works at Quandrix.', read)).toEqual(['zuri WORKS_AT quandrix'])
  })

  it('falls back to rules when the model fails or is too slow, says so, and recovers', async () => {
    const failures: unknown[] = []
    let answer: () => Promise<Reading> = () => Promise.reject(new Error('the thread died'))
    const tagger = hybridTagger(
      readerOf(() => answer()),
      { timeoutMs: () => 20, onFailure: (error) => failures.push(error) },
    )
    const tag = async () => (await tagger.tag([{ text: 'John works at Acme Corp', speaker }]))[0]?.relationships.length
    expect(await tag()).toBe(1)
    expect(tagger.lastCallFailed()).toBe(true)
    answer = () => new Promise(() => undefined)
    expect(await tag()).toBe(1)
    expect(failures).toHaveLength(2)
    answer = async () => nothing
    expect(await tag()).toBe(0)
    expect(tagger.lastCallFailed()).toBe(false)
  })

  it('waits for a model that is loading, however short the limit for its answers', async () => {
    let state: LoadState = 'loading'
    const load = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      state = 'loaded'
    }
    const loading = { load, state: () => state, verify: async () => undefined }
    const tagger = hybridTagger({ ...readerOf(() => nothing), loading }, { timeoutMs: () => 20 })
    await tagger.tag([{ text: 'John works at Acme Corp', speaker }])
    expect(tagger.lastCallFailed()).toBe(false)
  })

  it('uses the rules alone if the model cannot be loaded', async () => {
    const failing: Loadable = {
      load: () => Promise.reject(new Error('no file')),
      state: () => 'failed',
      verify: async () => undefined,
    }
    const tagger = hybridTagger({ ...readerOf(() => nothing), loading: failing })
    const [tagged] = await tagger.tag([{ text: 'John works at Acme Corp', speaker }])
    expect(tagged?.relationships).toHaveLength(1)
    expect(tagger.lastCallFailed()).toBe(true)
  })

  it('does not call the model for no texts', async () => {
    const asked: string[] = []
    expect(await hybridTagger(readerOf(() => nothing, asked)).tag([])).toEqual([])
    expect(asked).toEqual([])
  })
})
