/** Merging names of one entity, over HTTP. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

interface Entity {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly memory_count: number
}
interface Merge {
  readonly id: string
  readonly rule: string
  readonly why: string
  readonly from: { readonly id: string; readonly name: string }
  readonly into: { readonly id: string; readonly name: string }
  readonly reverted_by: string | null
}

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const say = (content: string) => service.storeOne({ user_id: 'ana', content })
const entities = async (type = 'PERSON') =>
  (await service.ok<{ entities: readonly Entity[] }>('GET', '/entities', { query: { user_id: 'ana', type } })).entities
const drawn = async (type?: string) =>
  (await entities(type))
    .map(({ name, aliases, memory_count: count }) => `${name}(${aliases.join(',')}):${count}`)
    .sort()
const idOf = async (name: string) => (await entities()).find((entity) => entity.name === name)?.id ?? ''
const mergesOf = async (name: string) =>
  (await service.ok<{ merges: readonly Merge[] }>('GET', `/entities/${await idOf(name)}/merges`)).merges

it('merges a company with its legal forms, and a person with a short form of the name', async () => {
  await say('John works at Acme Corporation')
  await say('Maria works at Acme Corp.')
  await say('Paul works at Acme')
  expect(await drawn('ORG')).toHaveLength(1)
  await say('Melanie lives in Oslo')
  await say('Mel works at Globex')
  expect(await drawn()).toContain('Melanie(Mel):2')
  expect(await mergesOf('Melanie')).toMatchObject([{ rule: 'short_form', from: { name: 'Mel' }, reverted_by: null }])
})

it('shows one person for a first name and the full name, and for the user who states a name', async () => {
  await say('Marta works at Ericsson')
  await say('Marta Lindqvist lives in Gothenburg')
  expect(await drawn()).toEqual(['Marta Lindqvist(Marta):2'])
  await say("Hi! I'm Jonas Berg, I live in Oslo.")
  expect(await drawn()).toEqual(['Marta Lindqvist(Marta):2', 'ana(Jonas Berg):1'])
})

it('shows one organisation for Volvo and Volvo Cars', async () => {
  await say('John works at Volvo')
  await say('Maria works at Volvo Cars')
  expect(await drawn('ORG')).toEqual(['Volvo Cars(Volvo):2'])
})

it('ends an engagement with the wedding', async () => {
  const relationships = async () => {
    const path = `/entities/${await idOf('Felix')}/relationships`
    const found = await service.ok<{ relationships: readonly { type: string; properties: object }[] }>('GET', path)
    return found.relationships.map(({ type, properties }) => [type, properties])
  }
  await say("I'm engaged to Felix.")
  expect(await relationships()).toEqual([['RELATED_TO', { relation: 'fiancé' }]])
  await say('I got married to Felix.')
  expect(await relationships()).toMatchObject([['SPOUSE_OF', {}]])
})

it('reverts a merge, and does not merge the two again', async () => {
  await say('Melanie lives in Oslo')
  await say('Mel works at Globex')
  const [merge] = await mergesOf('Melanie')
  const path = `/merges/${merge?.id}/revert`
  const { merge: reverted } = await service.ok<{ merge: Merge }>('POST', path)
  expect(reverted).toMatchObject({ id: merge?.id, reverted_by: 'user' })
  expect((await service.ok<{ merge: Merge }>('POST', path)).merge).toEqual(reverted)
  await say('Mel likes tea')
  expect(await drawn()).toEqual(['Mel():2', 'Melanie():1'])
  expect(service.audit('entity.split')).toHaveLength(2)
})

it('merges on request, and gives the reason for a refusal', async () => {
  await say('Maria lives in Oslo')
  await say('Paul works at Globex')
  const [maria, paul] = [await idOf('Maria'), await idOf('Paul')]
  const path = `/entities/${maria}/merge`
  await service.ok('POST', path, { body: { into: paul } })
  expect(await drawn()).toEqual(['Paul(Maria):2'])
  expect((await service.ok<{ entity: Entity }>('GET', `/entities/${maria}`)).entity.id).toBe(paul)
  const refused = async (into: string) => (await service.fails(400, 'POST', path, { body: { into } })).message
  expect(await refused(paul)).toContain('already the same')
  expect(await refused('ent_01h455vb4pex5vsknk084sn02q')).toContain('must be the id of an entity')
  expect(await refused('nonsense')).toContain('must be the id of an entity')
  const [globex] = await entities('ORG')
  expect(await refused(globex?.id ?? '')).toContain('same type')
  await service.store({ user_id: 'ben', content: 'Kim lives in Rome' })
  const { entities: all } = await service.ok<{ entities: readonly Entity[] }>('GET', '/entities', {
    query: { user_id: 'ben', type: 'PERSON' },
  })
  expect(await refused(all[0]?.id ?? '')).toContain('same user')
})

it('does not merge two people with the same first name', async () => {
  await say('Anna Smith lives in Oslo')
  await say('Anna Jones lives in Rome')
  await say('Anna likes tea')
  expect(await drawn()).toEqual(['Anna Jones():1', 'Anna Smith():1', 'Anna():1'])
})

it('adds aliases that a text states', async () => {
  await say('Margaret Miller, also known as Peggy, lives in Oslo')
  await say('Peggy works at Globex')
  expect((await entities()).map(({ name }) => name)).toEqual(['Margaret Miller'])
})
