/** `new MemoryClient({ host, apiKey })` of mem0, unchanged. `docs/mem0.md` lists what works. */
import { strict as assert } from 'node:assert'
import { refuses, type Surroundings, serviceDoor } from './service-door.js'

type Fields = Readonly<Record<string, unknown>>
type Method = (...given: unknown[]) => Promise<unknown>
type Client = Readonly<
  Record<
    | 'ping'
    | 'add'
    | 'search'
    | 'get'
    | 'getAll'
    | 'update'
    | 'delete'
    | 'deleteAll'
    | 'history'
    | 'users'
    | 'deleteUsers',
    Method
  >
>

const messages = [
  { role: 'user', content: 'Hi, I am Alex. My cat is called Minka.' },
  { role: 'assistant', content: 'Noted!' },
]

function connect({ package: installed }: Surroundings, host: string, apiKey: string): Client {
  const { MemoryClient } = installed as { readonly MemoryClient: new (options: object) => Client }
  return new MemoryClient({ host, apiKey })
}

/** The third version of the package names users in filters, and its fields in camel case. */
function wordsOf({ version }: Surroundings) {
  const isThird = version.startsWith('3.')
  return {
    userOf: (id: string) => (isThird ? { userId: id } : { user_id: id }),
    in: (id: string) => (isThird ? { filters: { user_id: id } } : { user_id: id }),
    field: (name: string) => (isThird ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name),
  }
}

/** The earlier versions return lists, the third one a page. */
function itemsIn(answer: unknown): readonly Fields[] {
  const items = Array.isArray(answer) ? answer : (answer as { readonly results?: unknown } | null)?.results
  assert.ok(Array.isArray(items), `no items in ${JSON.stringify(answer)}`)
  return items
}

const textsOf = (answer: unknown) => itemsIn(answer).map(({ memory }) => String(memory))

async function lifeOf(client: Client, given: Surroundings, user: string): Promise<void> {
  const words = wordsOf(given)
  await client.ping()
  const added = itemsIn(await client.add(messages, { ...words.userOf(user), metadata: { topic: 'pets' } }))
  assert.ok(added.length > 0 && added.every(({ id, event }) => typeof id === 'string' && event === 'ADD'))
  const found = itemsIn(await client.search('What is the name of my cat?', words.in(user)))
  const [cat] = found
  assert.match(String(cat?.memory), /Minka/)
  assert.equal(typeof cat?.score, 'number')
  assert.deepEqual(cat?.metadata, { topic: 'pets' })
  assert.equal(cat?.[words.field('user_id')], user)
  assert.equal(itemsIn(await client.getAll(words.in(user))).length, added.length)
  const id = String(cat?.id)
  assert.equal(((await client.get(id)) as Fields).memory, cat?.memory)
  await client.update(id, { text: 'My cat is called Mimi.' })
  assert.match(String(((await client.get(id)) as Fields).memory), /Mimi/)
  const history = (await client.history(id)) as readonly Fields[]
  assert.deepEqual(
    history.map(({ event }) => event),
    ['ADD', 'UPDATE'],
  )
  assert.match(String(history[1]?.[words.field('old_memory')]), /Minka/)
  await client.delete(id)
  await refuses(() => client.get(id), 'not_found')
  await client.add([{ role: 'user', content: 'My boat is called Nixe.' }], words.userOf(user))
  await client.deleteAll(words.userOf(user))
  assert.deepEqual(textsOf(await client.getAll(words.in(user))), [])
}

export const door = serviceDoor({
  name: 'mem0',
  package: 'mem0ai',
  versions: ['3.3.1', '2.4.6'],
  quickly: '3.3.1',
  checks: {
    'an application key: the whole life of a memory': async (given) => {
      const client = connect(given, given.url, await given.createKey({ kind: 'application', name: 'backend' }))
      await lifeOf(client, given, 'alex')
    },
    'an application key: users do not see each other, and a prefix holds': async (given) => {
      const words = wordsOf(given)
      const any = connect(given, given.url, await given.createKey({ kind: 'application', name: 'any' }))
      const shopKey = await given.createKey({ kind: 'application', name: 'shop', user_prefix: 'shop:' })
      const shop = connect(given, given.url, shopKey)
      const [secret] = itemsIn(
        await any.add([{ role: 'user', content: 'My dog is called Bello.' }], words.userOf('bank:ben')),
      )
      await shop.add([{ role: 'user', content: 'My fish is called Dory.' }], words.userOf('shop:eve'))
      assert.deepEqual(textsOf(await shop.getAll(words.in('bank:ben'))), [])
      assert.deepEqual(
        textsOf(await any.search('dog', words.in('shop:eve'))).filter((text) => /Bello/.test(text)),
        [],
      )
      await refuses(() => shop.get(String(secret?.id)), 'not_found')
      await refuses(() => shop.delete(String(secret?.id)), 'not_found')
      await refuses(() => shop.add(messages, words.userOf('bank:ben')), 'user_id')
      await refuses(() => any.add(messages), 'application key')
      assert.equal(textsOf(await any.getAll(words.in('bank:ben'))).length, 1)
    },
    'a key of one user: the whole life of a memory, and its user': async (given) => {
      const client = connect(given, given.url, await given.createKey({ user_id: 'carla', name: 'own' }))
      await lifeOf(client, given, 'carla')
      assert.deepEqual(
        itemsIn(await client.users()).map(({ name, type }) => ({ name, type })),
        [{ name: 'carla', type: 'user' }],
      )
      await client.add(messages)
      await client.deleteUsers(given.version.startsWith('3.') ? { userId: 'carla' } : { user_id: 'carla' })
      assert.deepEqual(textsOf(await client.getAll(wordsOf(given).in('carla'))), [])
    },
    'agents are kept apart, and an unknown filter is an error': async (given) => {
      const client = connect(given, given.url, await given.createKey({ kind: 'application', name: 'agents' }))
      const isThird = given.version.startsWith('3.')
      const labelled = (agent: string) =>
        isThird ? { userId: 'dora', agentId: agent } : { user_id: 'dora', agent_id: agent }
      await client.add([{ role: 'user', content: 'My lamp is green.' }], labelled('decorator'))
      await client.add([{ role: 'user', content: 'My tax number is on the desk.' }], labelled('accountant'))
      const filters = { AND: [{ user_id: 'dora' }, { agent_id: 'accountant' }] }
      const version = isThird ? {} : { api_version: 'v2' }
      const found = itemsIn(await client.getAll({ filters, ...version }))
      assert.deepEqual(
        found.map(({ memory }) => /tax/.test(String(memory))),
        [true],
      )
      await refuses(
        () => client.getAll({ filters: { user_id: 'dora', categories: 'x' }, ...version }),
        'filters.categories',
      )
    },
    'without authentication: the whole life of a memory': async (given) => {
      await lifeOf(connect(given, given.openUrl, 'any-key'), given, 'alex')
    },
    'a wrong key is refused': async (given) => {
      const client = connect(given, given.url, 'wrong')
      await refuses(() => client.ping(), 'authentication_error')
    },
  },
})
