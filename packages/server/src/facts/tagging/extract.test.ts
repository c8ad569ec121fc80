import { describe, expect, it } from 'vitest'
import { extract } from './extract.js'
import { ruleTagger } from './rule-tagger.js'

const tagger = ruleTagger()

describe('extract', () => {
  it('assigns first-person statements to the user, whose key no name can equal', async () => {
    const [tagged] = await extract(tagger, [{ content: 'I work at Acme. John lives in Rome.' }], 'john')
    expect(tagged?.entities[0]).toEqual({ name: 'john', type: 'PERSON', key: 'user:john', aliases: [] })
    expect(tagged?.relationships.map(({ sourceKey, targetKey }) => [sourceKey, targetKey])).toEqual([
      ['user:john', 'acme'],
      ['john', 'rome'],
    ])
  })

  it('assigns them to the named speaker', async () => {
    const [tagged] = await extract(
      tagger,
      [{ content: 'Zyx Qwerty: I live in Oslo.', speakerName: 'Zyx Qwerty' }],
      'u1',
    )
    expect(tagged?.relationships[0]).toMatchObject({ sourceKey: 'zyx qwerty', type: 'LIVES_IN', targetKey: 'oslo' })
    expect(tagged?.entities.map(({ key }) => key)).not.toContain('user:u1')
  })

  it('assigns statements of an assistant to nobody', async () => {
    const [tagged] = await extract(tagger, [{ content: 'Assistant: I live in Oslo.' }], 'u1')
    expect(tagged?.relationships).toEqual([])
    expect(tagged?.entities.map(({ key }) => key)).toEqual(['oslo'])
  })

  it('omits the user from statements about others', async () => {
    const [tagged] = await extract(tagger, [{ content: 'John works at Acme Corp' }], 'u1')
    expect(tagged?.entities.map(({ key }) => key)).toEqual(['john', 'acme'])
  })

  it('returns one result per memory, in order', async () => {
    expect(await extract(tagger, [], 'u1')).toEqual([])
    expect(await extract(tagger, [{ content: '' }, { content: 'John' }], 'u1')).toHaveLength(2)
  })

  it('treats a speaker without letters as the user', async () => {
    const [tagged] = await extract(tagger, [{ content: 'I live in Oslo.', speakerName: '***' }], 'u1')
    expect(tagged?.relationships[0]?.sourceKey).toBe('user:u1')
  })
})
