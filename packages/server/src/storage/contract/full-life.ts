/** Fills a store with rows in every table and every kind of change, all of which an export must preserve. */
import { unlimited } from '../../core/key-access.js'
import { userScope } from '../../core/scope.js'
import type { Storage } from '../ports/storage.js'
import { newItem } from './items.js'
import { alice, bob, employment, entityNamed, Notebook, start, wordsOf } from './notebook.js'

/** A user id with characters that are often mishandled. */
export const strange = userScope('ß "quoted" \\ 😀\n,')

export async function liveFully(storage: Storage): Promise<void> {
  const notebook = new Notebook(storage)
  // Interleaved, so that numbers of users and of rows do not coincide.
  await notebook.storeOne(strange, {
    content: 'line one\nline two \u2028 "end" 😀',
    metadata: { ß: ['\t', 1.5, null] },
  })
  await employments(storage, notebook)
  await parts(storage, notebook)
  await relations(notebook)
  await updates(storage, notebook)
  await merges(storage, notebook)
  await erasures(storage, notebook)
  await others(storage, notebook)
}

/** Acme, then Globex (applied), then Initech (reverted), and an open contradiction. */
async function employments(storage: Storage, notebook: Notebook): Promise<void> {
  const acme = await notebook.storeOne(alice, employment('John', 'Acme'))
  const globex = await notebook.storeOne(
    alice,
    employment('John', 'Globex', { createdAt: start + 100, supersedes: [acme] }),
  )
  await notebook.storeOne(bob, employment('Ann', 'Acme'))
  await notebook.storeOne(alice, employment('John', 'Initech', { createdAt: start + 200, supersedes: [globex] }))
  await notebook.storeOne(alice, employment('John', 'Hooli', { createdAt: start + 250, doubts: [globex] }))
  const { items } = await storage.listContradictions(alice, { now: start + 300, limit: 50, offset: 0 })
  const latest = items.find(({ why }) => why === 'not John works at Initech')
  if (!latest) throw new Error('there is no contradiction')
  await storage.decide(alice, latest.id, { verdict: 'revert', now: start + 400 })
}

/** One part that is outdated, one that is outdated by an erased memory, and one that is only doubted. */
async function parts(storage: Storage, notebook: Notebook): Promise<void> {
  const content = 'Ida is 34, lives in Oslo, and sails'
  const ida = await notebook.storeOne(alice, { content, slots: [{ slot: 'AGE|ida', value: '34' }] })
  const part = (words: string) => wordsOf(ida, content, words)
  const later = { createdAt: start + 20 }
  await notebook.storeOne(alice, { ...later, content: 'Ida moved to Rome', ends: [part('lives in Oslo')] })
  const erased = await notebook.storeOne(alice, { ...later, content: 'Ida is 35', ends: [part('is 34')] })
  await storage.forget(alice, { memoryIds: [erased] })
  await notebook.storeOne(alice, { ...later, content: 'Ida rows', doubtsParts: [part('sails')] })
}

async function relations(notebook: Notebook): Promise<void> {
  const entities = [
    ['Zoe', 'PERSON'],
    ['Mia', 'PERSON', 'Mimi'],
  ] as const
  await notebook.storeOne(alice, {
    content: 'Zoe and Mimi were married from 2010 to 2020',
    event: { from: Date.UTC(2010, 0, 1), to: Date.UTC(2021, 0, 1) },
    entities,
    relationships: [
      {
        from: 'Zoe',
        to: 'Mia',
        type: 'SPOUSE_OF',
        validFrom: start - 9_000,
        validTo: start - 1_000,
        properties: { zeta: 'last', a: 'first', ß: 'é' },
      },
    ],
  })
  await notebook.storeOne(alice, {
    content: 'Zoe knows Mia',
    entities,
    relationships: [{ from: 'Zoe', to: 'Mia', type: 'KNOWS' }],
  })
  await notebook.storeOne(alice, {
    content: 'Zoe no longer knows Mia',
    createdAt: start + 50,
    entities,
    relationships: [{ from: 'Zoe', to: 'Mia', type: 'KNOWS', ends: true }],
  })
}

async function updates(storage: Storage, notebook: Notebook): Promise<void> {
  const id = await notebook.storeOne(alice, {
    content: 'first wording',
    project: 'work',
    expiresAt: start + 9e9,
    trustScore: 1 / 3,
    flagged: true,
    vector: Float32Array.of(-0, 1e-38, 0.1, -0.3333333, 1, -1, 0.5, 3.4e38),
    modelId: 'model "one"',
  })
  await notebook.storeOne(bob, { content: 'between', project: 'p', expiresAt: start + 8e9 })
  await storage.update(alice, id, { now: start + 500, metadata: { b: 1, a: { deep: [true, 'x'] }, '10': 'ten' } })
  const content = notebook.draft({
    content: 'second wording',
    slots: [{ slot: 'S', value: 'v' }],
    entities: [['Rex', 'ORG']],
  })
  await storage.update(alice, id, { now: start + 600, content, project: null, expiresAt: null })
  await storage.recordAccess([{ userId: 'alice', memoryId: id, count: 3, at: start + 700 }])
}

/** One by a rule, a manual one that is current, and one that was reverted. */
async function merges(storage: Storage, notebook: Notebook): Promise<void> {
  const mention = (name: string) => notebook.storeOne(alice, { content: `about ${name}`, entities: [[name, 'PERSON']] })
  for (const name of ['Maria Garcia', 'Maria', 'Dana', 'Eve', 'Robin', 'Kim']) await mention(name)
  const merge = async (name: string, into: string) => {
    const [entity, root] = [await entityNamed(storage, alice, name), await entityNamed(storage, alice, into)]
    const id = notebook.id('mrg')
    await storage.mergeEntities(alice, entity.id, { id, intoId: root.id, now: start + 800 })
    return id
  }
  await merge('Dana', 'Eve')
  await storage.revertMerge(alice, await merge('Robin', 'Kim'), start + 900)
}

/** Leaves gaps in numbers, in documents and among the spellings. */
async function erasures(storage: Storage, notebook: Notebook): Promise<void> {
  const ids = await notebook.store(
    alice,
    { content: 'kept one', segments: [0, 0] },
    { content: 'to be erased', segments: [1, 1], entities: [['Gone', 'PERSON']] },
    { content: 'kept two', segments: [2, 2] },
  )
  await storage.forget(alice, { memoryIds: ids.slice(1, 2) })
  const [again] = ids
  if (again) await notebook.commit(alice, { sightings: [{ memoryId: again, segments: [0, 0] }] })
  const empty = userScope('emptied')
  await notebook.storeOne(empty, { content: 'all of this goes' })
  await storage.forget(empty, { all: true })
}

async function others(storage: Storage, notebook: Notebook): Promise<void> {
  await storage.keepRaw(userScope('alice', 'p'), { id: notebook.id('doc'), payload: '{"text":"waits ✓"}' })
  await storage.keepRaw(userScope('newcomer'), { id: notebook.id('doc'), payload: 'first text' })
  for (const [id, userId] of [
    ['key_2', 'alice'],
    ['key_1', 'keys only'],
  ] as const) {
    await storage.createKey({
      id,
      userId,
      name: `of ${userId}`,
      preview: 'ksk_…',
      hash: `$2b$${id}`,
      createdAt: start,
      access: 'read',
      project: 'p',
      expiresAt: start + 1,
      userPrefix: null,
    })
  }
  const application = { id: 'key_3', userId: null, name: 'of a shop', preview: 'ksk_…', hash: '$2b$key_3' }
  await storage.createKey({ ...application, createdAt: start, ...unlimited, userPrefix: 'shop:' })
  for (const scope of [alice, userScope('hooks only')]) {
    const of = {
      project: 'p',
      createdAt: start,
      createdBy: 'key_2',
      secret: 'whsec_ß',
      types: ['memory.stored'] as const,
    }
    await storage.createWebhook(scope, { id: notebook.id('whk'), url: 'https://example.org/hook', ...of }, 10)
  }
  const space = { id: notebook.id('spc'), name: 'Team', createdAt: start }
  await storage.spaces.create(alice, space, 10)
  const reader = { userId: 'bob', role: 'reader', joinedAt: start + 1 } as const
  await storage.spaces.setMember(userScope(space.id), reader, { most: 9, onlyIfOwnerless: false })
  for (const value of ['first', { z: 1, a: ['ß', null] }]) await storage.items.put(alice, newItem({ value }))
  const more = { namespace: 'b', expiresAt: start + 9e9, flagged: true, trustScore: 1 / 3, fields: ['a[*]'] }
  await storage.items.put(userScope('alice', 'p'), newItem(more))
  await storage.items.put(strange, newItem({ key: 'a/b "c" \\ 😀', fields: [], embedding: null }))
  await storage.tellOfExpiry(bob, start + 9e9)
  await storage.touchKeys([{ keyId: 'key_1', at: start + 5 }])
  await storage.revokeKey('key_2', start + 6)
}
