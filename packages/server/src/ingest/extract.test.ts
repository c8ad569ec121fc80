import { describe, expect, it } from 'vitest'
import { ruleTagger } from '../models/rule-tagger.js'
import { extract } from './extract.js'

const tagger = ruleTagger()

describe('extract', () => {
  it('counts first-person statements for the user, whose key no name can have', async () => {
    const [tagged] = await extract(tagger, [{ content: 'I work at Acme. John lives in Rome.' }], 'john')
    expect(tagged?.entities[0]).toEqual({ name: 'john', type: 'PERSON', key: 'user:john', aliases: [] })
    expect(tagged?.relationships.map(({ sourceKey, targetKey }) => [sourceKey, targetKey])).toEqual([
      ['user:john', 'acme'],
      ['john', 'rome'],
    ])
  })

  it('counts them for the speaker who is named', async () => {
    const [tagged] = await extract(
      tagger,
      [{ content: 'Zyx Qwerty: I live in Oslo.', speakerName: 'Zyx Qwerty' }],
      'u1',
    )
    expect(tagged?.relationships[0]).toMatchObject({ sourceKey: 'zyx qwerty', type: 'LIVES_IN', targetKey: 'oslo' })
    expect(tagged?.entities.map(({ key }) => key)).not.toContain('user:u1')
  })

  it('counts what an assistant says for nobody', async () => {
    const [tagged] = await extract(tagger, [{ content: 'Assistant: I live in Oslo.' }], 'u1')
    expect(tagged?.relationships).toEqual([])
    expect(tagged?.entities.map(({ key }) => key)).toEqual(['oslo'])
  })

  it('leaves the user out of what is not about the user', async () => {
    const [tagged] = await extract(tagger, [{ content: 'John works at Acme Corp' }], 'u1')
    expect(tagged?.entities.map(({ key }) => key)).toEqual(['john', 'acme'])
  })

  it('answers in order, one for each', async () => {
    expect(await extract(tagger, [], 'u1')).toEqual([])
    expect(await extract(tagger, [{ content: '' }, { content: 'John' }], 'u1')).toHaveLength(2)
  })

  it('takes a speaker without letters for the user', async () => {
    const [tagged] = await extract(tagger, [{ content: 'I live in Oslo.', speakerName: '***' }], 'u1')
    expect(tagged?.relationships[0]?.sourceKey).toBe('user:u1')
  })
})
