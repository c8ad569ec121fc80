import { describe, expect, it } from 'vitest'
import type { Subject } from '../storage.contract.js'
import { alice, employment, entityNamed, start } from './notebook.js'

export function describeRelationships(subject: () => Subject): void {
  /** `John → Acme 0..100` for what John's relationships are. */
  async function drawn(query: { asOf?: number; includeHistory?: boolean; now?: number } = {}, name = 'John') {
    const { storage } = subject()
    const john = await entityNamed(storage, alice, name)
    const found = await storage.relationships(alice, john.id, { now: start + 1_000, ...query })
    return found.map(
      ({ source, type, target, validFrom, validTo }) =>
        `${source} ${type} ${target} ${validFrom - start}..${validTo === null ? '' : validTo - start}`,
    )
  }

  describe('relationships', () => {
    it('are shown from both ends with their memories', async () => {
      const { storage, notebook } = subject()
      const properties = { role: 'engineer' }
      const link = { from: 'John', type: 'WORKS_AT', to: 'Acme', properties } as const
      const id = await notebook.storeOne(alice, employment('John', 'Acme', { relationships: [link] }))
      const john = await entityNamed(storage, alice, 'John')
      const acme = await entityNamed(storage, alice, 'Acme')
      const [seen] = await storage.relationships(alice, john.id, { now: start })
      expect(seen).toMatchObject({ source: 'John', sourceId: john.id, target: 'Acme', targetId: acme.id, properties })
      expect(seen).toMatchObject({ type: 'WORKS_AT', validFrom: start, validTo: null, memoryIds: [id] })
      expect(await storage.relationships(alice, acme.id, { now: start })).toEqual([seen])
    })

    it('said again gain a source and properties, and are not created anew', async () => {
      const { storage, notebook } = subject()
      const say = (properties: Record<string, string>, createdAt: number) => {
        const relationships = [{ from: 'John', type: 'WORKS_AT', to: 'Acme', exclusive: true, properties } as const]
        return notebook.commit(alice, {
          memories: [
            notebook.memory(employment('John', 'Acme', { content: `${createdAt}`, createdAt, relationships })),
          ],
        })
      }
      expect((await say({ a: '1', b: '1' }, start)).relationshipsCreated).toBe(1)
      expect((await say({ b: '2' }, start + 10)).relationshipsCreated).toBe(0)
      const john = await entityNamed(storage, alice, 'John')
      const found = await storage.relationships(alice, john.id, { now: start })
      expect(found).toMatchObject([{ properties: { a: '1', b: '2' }, validFrom: start }])
      expect(found[0]?.memoryIds).toHaveLength(2)
    })

    it('that exclude others end them when they begin, and are history afterwards', async () => {
      const { notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 100 }))
      expect(await drawn()).toEqual(['John WORKS_AT Globex 100..'])
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..100', 'John WORKS_AT Globex 100..'])
    })

    it('told late never end what begins later: they end there themselves', async () => {
      const { notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme', { createdAt: start + 100 }))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 10 }))
      expect(await drawn()).toEqual(['John WORKS_AT Acme 100..'])
      expect(await drawn({ asOf: start + 50 })).toEqual(['John WORKS_AT Globex 10..100'])
    })

    it('that do not exclude live side by side', async () => {
      const { notebook } = subject()
      const likes = (what: string) => ({
        content: `John likes ${what}`,
        entities: [['John', 'PERSON'] as const, [what, 'CONCEPT'] as const],
        relationships: [{ from: 'John', type: 'LIKES', to: what } as const],
      })
      await notebook.store(alice, likes('tea'), likes('rain'))
      expect(await drawn()).toEqual(['John LIKES tea 0..', 'John LIKES rain 0..'])
    })

    it('end with the last memory that supports them, when it is replaced', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(alice, {
        content: 'John has retired',
        createdAt: start + 50,
        supersedes: [old],
        entities: [['John', 'PERSON']],
      })
      expect(await drawn()).toEqual([])
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..50'])
    })

    it('live on when the replacing memory says the same', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(
        alice,
        employment('John', 'Acme', { content: 'y', createdAt: start + 50, supersedes: [old] }),
      )
      expect(await drawn()).toEqual(['John WORKS_AT Acme 0..'])
    })

    it('follow an update: kept without new content, ended by content that does not say them', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await storage.update(alice, id, { now: start + 10, metadata: { x: 1 } })
      expect(await drawn()).toEqual(['John WORKS_AT Acme 0..'])
      await storage.update(alice, id, { now: start + 20, content: notebook.draft(employment('John', 'Globex')) })
      expect(await drawn()).toEqual(['John WORKS_AT Globex 20..'])
      const content = notebook.draft({ content: 'John rests', entities: [['John', 'PERSON']] })
      await storage.update(alice, id, { now: start + 30, content })
      expect(await drawn()).toEqual([])
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..20', 'John WORKS_AT Globex 20..30'])
    })

    it('as of a moment are those that held then: begun before it, not ended, not expired', async () => {
      const { notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 100, expiresAt: start + 200 }))
      await notebook.store(alice, { content: 'John is here', createdAt: start, entities: [['John', 'PERSON']] })
      expect(await drawn({ asOf: start })).toEqual([])
      expect(await drawn({ asOf: start + 1 })).toEqual(['John WORKS_AT Acme 0..100'])
      expect(await drawn({ asOf: start + 100 })).toEqual(['John WORKS_AT Acme 0..100'])
      expect(await drawn({ asOf: start + 101 })).toEqual(['John WORKS_AT Globex 100..'])
      expect(await drawn({ asOf: start + 199 })).toEqual(['John WORKS_AT Globex 100..'])
      expect(await drawn({ asOf: start + 200 })).toEqual([])
      expect(await drawn({ now: start + 199 })).toEqual(['John WORKS_AT Globex 100..'])
      expect(await drawn({ now: start + 200 })).toEqual([])
    })
  })
}
