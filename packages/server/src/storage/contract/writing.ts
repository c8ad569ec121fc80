import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import { alice, allRows, employment, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeWriting(subject: () => Subject): void {
  describe('commit', () => {
    it('returns a memory with every field as it was stored', async () => {
      const { storage, notebook } = subject()
      const metadata = { tag: 'a', deep: { list: [1, null, true, 'x'] }, 'odd "key"': 1.5, ['__proto__']: 'own' }
      const memory = notebook.memory({ content: 'Tea at five', project: 'home', expiresAt: start + 10, metadata })
      const version = { ...memory.version, trustScore: 0.75, flagged: true }
      const committed = await notebook.commit(alice, { memories: [{ ...memory, source: 'import', version }] })
      expect(committed).toEqual({ revision: 1, relationshipsCreated: 0, entityNames: [[]] })
      expect(await storage.find(alice, memory.id, { now: start })).toEqual({
        id: memory.id,
        userId: 'alice',
        project: 'home',
        content: 'Tea at five',
        outdated: [],
        checksum: version.checksum,
        metadata,
        source: 'import',
        trustScore: 0.75,
        flagged: true,
        version: 1,
        createdAt: start,
        updatedAt: start,
        expiresAt: start + 10,
        supersededAt: null,
        supersededBy: null,
        supersedes: [],
        accessCount: 0,
        lastAccessed: null,
        entities: [],
      })
    })

    it('keeps unusual texts and user ids character for character', async () => {
      const { storage, notebook } = subject()
      const texts = [`'"; DROP TABLE memories; --`, '👩‍👩‍👧 עברית 漢字 é é', 'a\r\n\tb\\%_', 'x'.repeat(50_000)]
      for (const userId of [`o'neil "q" %`, '用户-1', '🙂', 'alice ', ' ', 'ALICE', '../..']) {
        const scope = userScope(userId)
        const ids = await notebook.store(scope, ...texts.map((content) => ({ content, project: content.slice(0, 64) })))
        for (const [i, id] of ids.entries()) {
          const found = await storage.find(userScope(userId, texts[i]?.slice(0, 64)), id, { now: start })
          expect(found).toMatchObject({ userId, content: texts[i] })
        }
        expect((await storage.list(scope, { now: start, limit: 10 })).total).toBe(texts.length)
      }
    })

    it('rejects text that it could not return unchanged, and writes nothing', async () => {
      const { storage, notebook } = subject()
      for (const content of ['a\0b', 'half \ud83d pair']) {
        await expect(notebook.store(alice, { content: 'fine' }, { content })).rejects.toMatchObject({
          code: 'validation_error',
        })
      }
      expect((await storage.stats()).memories).toBe(0)
    })

    it('rejects a commit for another revision, and writes nothing', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'one' })
      for (const expectedRevision of [0, 2]) {
        const memories = [notebook.memory({ content: 'two' })]
        await expect(notebook.commit(alice, { expectedRevision, memories })).rejects.toBeInstanceOf(RevisionConflict)
      }
      expect(await notebook.revision(alice)).toBe(1)
      expect((await storage.list(alice, { now: start, limit: 10 })).total).toBe(1)
    })

    it('lets exactly one of many concurrent commits at one revision win', async () => {
      const { storage, notebook } = subject()
      const attempts = Array.from({ length: 25 }, (_, i) =>
        notebook.commit(alice, { expectedRevision: 0, memories: [notebook.memory({ content: `racer ${i}` })] }),
      )
      const settled = await Promise.allSettled(attempts)
      const lost = settled.filter((result) => result.status === 'rejected')
      expect(lost).toHaveLength(24)
      for (const { reason } of lost) expect(reason).toBeInstanceOf(RevisionConflict)
      expect((await storage.list(alice, { now: start, limit: 50 })).total).toBe(1)
    })

    it('keeps concurrent writes of many users separate and complete', async () => {
      const { storage, notebook } = subject()
      const users = Array.from({ length: 30 }, (_, i) => userScope(`user ${i}`))
      await Promise.all(users.map((user, i) => notebook.store(user, { content: `a${i}` }, { content: `b${i}` })))
      for (const [i, user] of users.entries()) {
        const { items } = await storage.list(user, { now: start, limit: 10 })
        expect(items.map((memory) => memory.content).sort()).toEqual([`a${i}`, `b${i}`])
      }
      expect(await storage.stats()).toMatchObject({ users: 30, memories: 60 })
    })

    it('raises the revision by one for every write, and not for accesses', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'one' })
      await notebook.store(alice, { content: 'two' }, { content: 'three' })
      await storage.update(alice, id, { now: start + 1, metadata: {} })
      await storage.recordAccess([{ userId: 'alice', memoryId: id, count: 1, at: start }])
      expect(await notebook.revision(alice)).toBe(3)
      await storage.forget(alice, { memoryIds: [id] })
      expect(await notebook.revision(alice)).toBe(4)
      await storage.forget(alice, { memoryIds: [id] })
      expect(await notebook.revision(alice)).toBe(4)
    })
  })

  describe('supersession', () => {
    it('keeps the replaced memory as history, out of lists and recognition, and links both memories', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      const next = employment('John', 'Globex', { createdAt: start + 100, supersedes: [old] })
      const replacement = await notebook.storeOne(alice, next)
      const now = start + 200
      expect(await storage.find(alice, old, { now })).toMatchObject({
        supersededAt: start + 100,
        supersededBy: replacement,
      })
      expect(await storage.find(alice, replacement, { now })).toMatchObject({ supersedes: [old], supersededAt: null })
      const { items, total } = await storage.list(alice, { now, limit: 10 })
      expect([total, items.map((memory) => memory.id)]).toEqual([1, [replacement]])
      const facts = { now, project: null, contentKeys: [notebook.draft(employment('John', 'Acme')).contentKey] }
      const known = await storage.recognise(alice, { ...facts, slots: ['WORKS_AT|john'] })
      expect(known.sameContent).toEqual([])
      expect(known.sameSlot.map((each) => each.memory.id)).toEqual([replacement])
      expect(known.sameSlot[0]?.slots).toEqual([{ slot: 'WORKS_AT|john', value: 'globex' }])
      expect(await historyOf(storage, alice, old)).toMatchObject([{ validFrom: start, validTo: start + 100 }])
      expect(await storage.update(alice, old, { now, metadata: {} })).toBeNull()
    })

    it('conflicts if the replaced memory is gone, already replaced, or of another user', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'old' })
      const gone = await notebook.storeOne(alice, { content: 'gone' })
      const foreign = await notebook.storeOne(userScope('bob'), { content: 'foreign' })
      await storage.forget(alice, { memoryIds: [gone] })
      await notebook.store(alice, { content: 'new', supersedes: [old] })
      for (const id of [old, gone, foreign]) {
        await expect(notebook.store(alice, { content: 'newer', supersedes: [id] })).rejects.toBeInstanceOf(
          RevisionConflict,
        )
      }
      expect((await storage.list(alice, { now: start, limit: 10 })).items.map((each) => each.content)).toEqual(['new'])
      expect(await storage.find(userScope('bob'), foreign, { now: start })).toMatchObject({ supersededAt: null })
    })
  })

  describe('sightings', () => {
    it('add a source to the known memory', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'I like tea' })
      const document = { id: notebook.id('doc'), segments: ['Hello. ', 'I like tea', '!'], source: 'chat' }
      const sightings = [{ memoryId: id, segments: [1, 2] as const }]
      await notebook.commit(alice, { now: start + 5, document, sightings })
      expect(
        (await provenanceOf(storage, alice, id)).map(({ text, source, storedAt }) => [text, source, storedAt]),
      ).toEqual([
        ['I like tea', 'api', start],
        ['I like tea!', 'chat', start + 5],
      ])
    })

    it('conflict if the memory is gone or of another user', async () => {
      const { notebook } = subject()
      const foreign = await notebook.storeOne(userScope('bob'), { content: 'foreign' })
      for (const memoryId of [foreign, notebook.id('mem')]) {
        const sightings = [{ memoryId, segments: [0, 0] as const }]
        await expect(notebook.commit(alice, { sightings })).rejects.toBeInstanceOf(RevisionConflict)
      }
    })
  })

  describe('update', () => {
    it('adds a version, leaves absent fields unchanged and keeps the old version as history', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(
        alice,
        employment('John', 'Acme', { metadata: { a: 1 }, expiresAt: start + 99 }),
      )
      const changed = await storage.update(alice, id, { now: start + 10, metadata: { b: 2 }, project: 'work' })
      expect(changed).toMatchObject({ version: 2, metadata: { b: 2 }, project: 'work', expiresAt: start + 99 })
      expect(changed).toMatchObject({ createdAt: start, updatedAt: start + 10, entities: ['John', 'Acme'] })
      expect(await storage.find(alice, id, { now: start + 10 })).toEqual(changed)
      expect(await storage.update(alice, id, { now: start + 20, expiresAt: null, project: null })).toMatchObject({
        metadata: { b: 2 },
        project: null,
        expiresAt: null,
      })
      expect(await historyOf(storage, alice, id)).toMatchObject([
        { version: 1, metadata: { a: 1 }, project: null, validFrom: start, validTo: start + 10 },
        { version: 2, metadata: { b: 2 }, project: 'work', validFrom: start + 10, validTo: start + 20 },
        { version: 3, metadata: { b: 2 }, project: null, validFrom: start + 20, validTo: null, expiresAt: null },
      ])
      const vectors = await storage.hydrate(
        alice,
        (await allRows(storage, alice)).map((each) => each.row),
        {
          vectors: true,
        },
      )
      expect(vectors.map((each) => each.vector)).toEqual([vectors[0]?.vector, vectors[0]?.vector, vectors[0]?.vector])
    })

    it('with new content replaces the entities and slots of the old content', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      const content = notebook.draft(employment('Mary', 'Globex'))
      const changed = await storage.update(alice, id, { now: start + 10, content })
      expect(changed).toMatchObject({ content: 'Mary works at Globex', checksum: content.checksum })
      expect(changed?.entities).toEqual(['Mary', 'Globex'])
      const facts = { now: start + 10, project: null, contentKeys: [content.contentKey] }
      const known = await storage.recognise(alice, { ...facts, slots: ['WORKS_AT|john', 'WORKS_AT|mary'] })
      expect(known.sameContent.map((each) => each.contentKey)).toEqual([content.contentKey])
      expect(known.sameSlot.map((each) => each.slots)).toEqual([[{ slot: 'WORKS_AT|mary', value: 'globex' }]])
      const { items } = await storage.listEntities(alice, { now: start + 10, limit: 10, offset: 0 })
      expect(items.map((entity) => entity.name).sort()).toEqual(['Globex', 'Mary'])
    })

    it('keeps the order of versions when the clock stands still or goes back', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'one' })
      await storage.update(alice, id, { now: start, metadata: { v: 2 } })
      await storage.update(alice, id, { now: start - 50, metadata: { v: 3 } })
      expect((await historyOf(storage, alice, id)).map(({ validFrom, validTo }) => [validFrom, validTo])).toEqual([
        [start, start],
        [start, start],
        [start, null],
      ])
    })

    it('returns null for an unknown, expired or foreign memory', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'short', expiresAt: start + 10, project: 'p' })
      const change = { now: start + 9, metadata: { x: 1 } }
      for (const scope of [userScope('bob'), userScope('alice', 'q'), userScope('nobody yet'), nobodyScope]) {
        expect(await storage.update(scope, id, change)).toBeNull()
      }
      expect(await storage.update(alice, notebook.id('mem'), change)).toBeNull()
      expect(await storage.update(alice, id, { ...change, now: start + 10 })).toBeNull()
      expect(await historyOf(storage, alice, id)).toHaveLength(1)
      expect(await storage.update(everyoneScope('p'), id, change)).toMatchObject({ version: 2 })
    })
  })

  describe('recordAccess', () => {
    it('adds up counts, keeps the latest time, and skips memories that are gone or of another user', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'one' })
      await storage.recordAccess([
        { userId: 'alice', memoryId: id, count: 2, at: start + 50 },
        { userId: 'alice', memoryId: id, count: 1, at: start + 20 },
        { userId: 'bob', memoryId: id, count: 7, at: start + 90 },
        { userId: 'alice', memoryId: notebook.id('mem'), count: 1, at: start },
      ])
      expect(await storage.find(alice, id, { now: start })).toMatchObject({ accessCount: 3, lastAccessed: start + 50 })
    })
  })
}
