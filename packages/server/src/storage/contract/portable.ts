import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { type PortableReader, type PortableRecord, type PortableSelection, parsePortable } from '../ports/portable.js'
import { liveFully, strange } from './full-life.js'
import { alice, allRows, bob, employment, historyOf, Notebook, provenanceOf, start } from './notebook.js'
import type { OpenedStorage, Subject } from './subject.js'

const all = { vectors: true, keys: true }

async function recordsOf(reader: PortableReader, selection: PortableSelection): Promise<PortableRecord[]> {
  const records: PortableRecord[] = []
  for await (const record of reader.read(selection)) records.push(record)
  expect(await reader.count(selection)).toBe(records.length)
  await reader.close()
  return records
}

/** In batches of this size, as if there were too many records for one. */
async function fill(target: OpenedStorage, records: readonly PortableRecord[], size: number) {
  await target.storage.close()
  const writer = await target.portableWriter()
  expect(await writer.begin('source')).toBe(0)
  for (let from = 0; from < records.length; from += size) await writer.write(records.slice(from, from + size))
  await writer.finish()
  await writer.close()
  return target.reopen()
}

export function describePortable(subject: () => Subject): void {
  describe('portable records', () => {
    it('contain a whole store in the documented format', async () => {
      const { storage, portableReader } = subject()
      await liveFully(storage)
      const records = await recordsOf(await portableReader(), all)
      // Reading a record back from JSON yields the same record.
      expect(records.map((record) => parsePortable(JSON.parse(JSON.stringify(record))))).toEqual(records)
      const kinds = new Set(records.map(({ record }) => record))
      expect([...kinds]).toEqual([
        ...['user', 'entity', 'memory', 'version', 'relationship', 'document', 'contradiction', 'entity_merge', 'item'],
        ...['pending', 'space', 'webhook', 'key'],
      ])
      const users = records.flatMap((record) => (record.record === 'user' ? [record.id] : []))
      expect(users).toEqual(['alice', 'bob', 'emptied', strange.userId])
      expect(JSON.stringify(records)).not.toContain('to be erased')
      expect(JSON.stringify(records)).not.toContain('Gone')
    })

    it.each([3, 10_000])(
      'are identical after a round trip through another store, written %d at a time',
      async (size) => {
        const { storage, portableReader, openAnother } = subject()
        await liveFully(storage)
        const records = await recordsOf(await portableReader(), all)
        const other = await openAnother()
        await fill(other, records, size)
        const again = await recordsOf(await other.portableReader(), all)
        // As text, because the order of fields matters in a file.
        expect(again.map((record) => JSON.stringify(record))).toEqual(records.map((record) => JSON.stringify(record)))
      },
    )

    it('create a store that answers, changes and erases like the original', async () => {
      const { storage, portableReader, openAnother } = subject()
      await liveFully(storage)
      const records = await recordsOf(await portableReader(), all)
      const copy = await fill(await openAnother(), records, 13)
      const view = async (store: typeof storage) => {
        const page = { now: start + 1_000, limit: 100, offset: 0 }
        const memories = await store.list(alice, { now: start + 1_000, limit: 100 })
        const ids = memories.items.map(({ id }) => id)
        const contradictions = await store.listContradictions(alice, page)
        const entities = await store.listEntities(alice, page)
        const rows = await allRows(store, alice)
        return {
          memories,
          contradictions,
          entities,
          history: await Promise.all(ids.map((id) => historyOf(store, alice, id))),
          provenance: await Promise.all(ids.map((id) => provenanceOf(store, alice, id))),
          merges: await Promise.all(entities.items.map(({ id }) => store.listMerges(alice, id))),
          relationships: await Promise.all(
            entities.items.map(({ id }) => store.relationships(alice, id, { ...page, includeHistory: true })),
          ),
          contents: rows.map(({ content, modelId, validTo }) => ({ content, modelId, validTo })),
          key: await store.findKey('key_1'),
          webhooks: await store.listWebhooks(alice),
          spaces: await store.spaces.list(bob, page),
          items: await store.items.list(alice, page),
          versions: await store.items.versions(alice, { namespace: 'users.1', key: 'settings' }, page.now),
        }
      }
      const sortedView = ({ contents, ...rest }: Awaited<ReturnType<typeof view>>) => ({
        ...rest,
        contents: contents.map((each) => JSON.stringify(each)).sort(),
      })
      expect(sortedView(await view(copy))).toEqual(sortedView(await view(storage)))
      // The user has already received events for imported memories; only new ones cause events.
      expect((await copy.events(alice, null, 99)).events).toEqual([])
      for (const store of [storage, copy]) {
        const { items } = await store.listContradictions(alice, { now: start + 1_000, limit: 9, offset: 0 })
        const applied = items.find(({ status }) => status === 'applied')
        await store.decide(alice, applied?.id ?? '', { verdict: 'revert', now: start + 2_000 })
        const own = new Notebook(store)
        await own.storeOne(bob, employment('Ann', 'Umbrella', { createdAt: start + 2_000 }))
        await store.forget(strange, { all: true })
      }
      const later = async (store: typeof storage) =>
        (await store.list(alice, { now: start + 3_000, limit: 100 })).items.map(({ content }) => content)
      expect(await later(copy)).toEqual(await later(storage))
      expect((await copy.list(bob, { now: start + 3_000, limit: 9 })).total).toBe(3)
      expect(await copy.list(strange, { now: start, limit: 9 })).toMatchObject({ total: 0 })
    })

    it('are limited to the requested user, and include keys and vectors only on request', async () => {
      const { storage, portableReader } = subject()
      await liveFully(storage)
      const selection = { user: 'bob', vectors: false, keys: false }
      const records = await recordsOf(await portableReader(), selection)
      expect(records[0]).toMatchObject({ record: 'user', id: 'bob' })
      expect(JSON.stringify(records)).not.toMatch(/alice|John|Globex|wording|embedding|\$2b\$|whsec/)
      expect(records.filter(({ record }) => record === 'version')).toHaveLength(2)
      const alone = await recordsOf(await portableReader(), { ...all, user: 'alice' })
      expect(alone.filter(({ record }) => ['key', 'pending', 'webhook'].includes(record))).toHaveLength(3)
      const [space] = (await storage.spaces.list(bob, { limit: 1, offset: 0 })).items
      expect(await recordsOf(await portableReader(), { ...selection, user: space?.id ?? '' })).toEqual([
        {
          ...{ record: 'space', id: space?.id, name: 'Team', created_at: start },
          members: [
            { user: 'alice', role: 'owner', founded: true, joined_at: start },
            { user: 'bob', role: 'reader', founded: false, joined_at: start + 1 },
          ],
        },
      ])
      expect(await recordsOf(await portableReader(), { ...all, user: 'nobody' })).toEqual([])
      expect(await recordsOf(await portableReader(), { ...all, user: 'ali\0ce' })).toEqual([])
    })

    it('are one snapshot, whatever is stored while they are read', async () => {
      const { storage, notebook, portableReader } = subject()
      await notebook.store(alice, ...['a', 'b', 'c'].map((content) => ({ content })))
      const reader = await portableReader()
      const seen: string[] = []
      for await (const record of reader.read(all)) {
        if (record.record !== 'version') continue
        seen.push(record.content)
        await notebook.storeOne(alice, { content: `after ${record.content}` })
        await notebook.storeOne(userScope(`zoe ${record.content}`), { content: 'new' })
        await storage.forget(alice, { all: true })
      }
      await reader.close()
      expect(seen).toEqual(['a', 'b', 'c'])
    })

    it('without vectors are found by words until they are re-embedded', async () => {
      const { storage, notebook, portableReader, openAnother } = subject()
      await notebook.storeOne(alice, { content: 'I like green tea' })
      const bare = { vectors: false, keys: false }
      const records = await recordsOf(await portableReader(), bare)
      const other = await openAnother()
      const copy = await fill(other, records, 100)
      expect(await allRows(copy, alice)).toMatchObject([{ content: 'I like green tea', modelId: 'none' }])
      expect(await copy.countOutdated(alice, 'test-model')).toBe(1)
      expect(await recordsOf(await other.portableReader(), bare)).toEqual(records)
      const embedded = await recordsOf(await other.portableReader(), all)
      expect(embedded.find(({ record }) => record === 'version')).toMatchObject({ embedding: null })
      await storage.close()
    })

    it('resume where an interrupted run stopped, and are not mixed with those of another source', async () => {
      const { storage, portableReader, openAnother } = subject()
      await liveFully(storage)
      const records = await recordsOf(await portableReader(), all)
      const other = await openAnother()
      await other.storage.close()
      for (let done = 0; done < records.length; done += 9) {
        const writer = await other.portableWriter()
        expect(await writer.begin('first')).toBe(done)
        await writer.write(records.slice(done, done + 9))
        // A run that fails in the middle of a batch writes nothing of that batch.
        await expect(writer.write([...records.slice(done + 9, done + 12), ...records.slice(0, 1)])).rejects.toThrow(
          /already/,
        )
        await writer.close()
      }
      const stranger = await other.portableWriter()
      await expect(stranger.begin('second')).rejects.toThrow('another import into this store was interrupted')
      await stranger.close()
      const last = await other.portableWriter()
      await last.begin('first')
      await last.finish()
      await last.close()
      expect(await recordsOf(await other.portableReader(), all)).toEqual(records)
    })

    it('are rejected for an existing user, and if they refer to something that their user does not have', async () => {
      const { storage, portableReader, openAnother } = subject()
      await liveFully(storage)
      const records = await recordsOf(await portableReader(), { ...all, user: 'bob' })
      const other = await openAnother()
      await new Notebook(other.storage).storeOne(alice, { content: 'mine' })
      await other.storage.close()
      const writer = await other.portableWriter()
      expect(await writer.existing(['bob', 'alice', 'carol'])).toEqual(['alice'])
      await writer.begin('source')
      const user = { record: 'user', id: 'alice', numbers: 9, entities: 0, expiry_told: 0 } as const
      await expect(writer.write([user])).rejects.toThrow('the store already has a user "alice"')
      for (const [kind, change, complaint] of [
        ['version', { number: 900 }, 'names a version'],
        ['version', { memory: 1 }, 'another memory'],
        ['memory', { superseded_by: 900 }, 'names a version'],
        ['relationship', { source: 900 }, 'names an entity'],
        ['entity', { number: 900 }, 'names an entity'],
      ] as const) {
        const changed = records.map((record) => (record.record === kind ? Object.assign({}, record, change) : record))
        await expect(writer.write(changed), `${kind} ${JSON.stringify(change)}`).rejects.toThrow(complaint)
      }
      await expect(writer.write(records.slice(1))).rejects.toThrow('before its user')
      await writer.write(records)
      await writer.finish()
      await writer.close()
      const reopened = await other.reopen()
      expect((await reopened.list(alice, { now: start, limit: 9 })).items).toMatchObject([{ content: 'mine' }])
      expect((await reopened.list(bob, { now: start, limit: 9 })).total).toBe(2)
    })
  })
}
