import { describe, expect, it } from 'vitest'
import { alice, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeRelationships(subject: () => Subject): void {
  /** Each relationship as `John WORKS_AT Acme 0..100`. */
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
    it('are shown from both ends, with their memories', async () => {
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

    it('gain a source and properties when stated again, and are not created twice', async () => {
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

    it('that exclude others end them when they begin, and keep them as history', async () => {
      const { notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 100 }))
      expect(await drawn()).toEqual(['John WORKS_AT Globex 100..'])
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..100', 'John WORKS_AT Globex 100..'])
    })

    it('that are stated late never end one that begins later, but end when it begins', async () => {
      const { notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme', { createdAt: start + 100 }))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 10 }))
      expect(await drawn()).toEqual(['John WORKS_AT Acme 100..'])
      expect(await drawn({ asOf: start + 50 })).toEqual(['John WORKS_AT Globex 10..100'])
    })

    it('that are not exclusive coexist', async () => {
      const { notebook } = subject()
      const likes = (what: string) => ({
        content: `John likes ${what}`,
        entities: [['John', 'PERSON'] as const, [what, 'CONCEPT'] as const],
        relationships: [{ from: 'John', type: 'LIKES', to: what } as const],
      })
      await notebook.store(alice, likes('tea'), likes('rain'))
      expect(await drawn()).toEqual(['John LIKES tea 0..', 'John LIKES rain 0..'])
    })

    it('end when the last memory that supports them is replaced', async () => {
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

    it('continue if the replacing memory states the same', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(
        alice,
        employment('John', 'Acme', { content: 'y', createdAt: start + 50, supersedes: [old] }),
      )
      expect(await drawn()).toEqual(['John WORKS_AT Acme 0..'])
    })

    it('continue after an update without new content, and end if new content does not state them', async () => {
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

    it('as of a moment are those that had begun before it, and had not ended or expired', async () => {
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

    it('begin and end at the times that the text states', async () => {
      const { notebook } = subject()
      const year = (value: number) => Date.UTC(value, 0, 1)
      const link = { from: 'John', type: 'WORKS_AT', exclusive: true } as const
      const say = (company: string, at: number, range: { validFrom?: number; validTo?: number }) =>
        notebook.store(
          alice,
          employment('John', company, {
            content: `${company} ${at}`,
            createdAt: start + at,
            relationships: [{ ...link, to: company, ...range }],
          }),
        )
      await say('Acme', 0, { validFrom: year(2010), validTo: year(2015) })
      await say('Globex', 10, { validFrom: year(2019) })
      const from = (value: number) => year(value) - start
      expect(await drawn()).toEqual([`John WORKS_AT Globex ${from(2019)}..`])
      expect(await drawn({ includeHistory: true })).toEqual([
        `John WORKS_AT Acme ${from(2010)}..${from(2015)}`,
        `John WORKS_AT Globex ${from(2019)}..`,
      ])
      // Unknown until it was stated.
      expect(await drawn({ asOf: year(2020) })).toEqual([])
      await say('Globex', 20, { validTo: start - 5 })
      expect(await drawn()).toEqual([])
      await say('Initech', 30, {})
      expect(await drawn()).toEqual(['John WORKS_AT Initech 30..'])
      // Stated later, but with an earlier beginning: the later statement counts.
      await say('Umbrella', 40, { validFrom: year(2021) })
      expect(await drawn()).toEqual([`John WORKS_AT Umbrella ${from(2021)}..`])
      expect(await drawn({ includeHistory: true })).toContain('John WORKS_AT Initech 30..40')
    })

    it('are ended by a text that says so, which creates no relationship', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme'))
      const leaves = (company: string, at: number) =>
        notebook.commit(alice, {
          memories: [
            notebook.memory(
              employment('John', company, {
                content: `John left ${company}`,
                createdAt: start + at,
                relationships: [{ from: 'John', type: 'WORKS_AT', to: company, ends: true }],
              }),
            ),
          ],
        })
      expect((await leaves('Globex', 20)).relationshipsCreated).toBe(0)
      expect(await drawn()).toEqual(['John WORKS_AT Acme 0..'])
      expect((await leaves('Acme', 50)).relationshipsCreated).toBe(0)
      expect(await drawn()).toEqual([])
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..50'])
      expect(await drawn({ asOf: start + 30 })).toEqual(['John WORKS_AT Acme 0..50'])
      await notebook.store(alice, employment('John', 'Acme', { content: 'back', createdAt: start + 90 }))
      expect(await drawn()).toEqual(['John WORKS_AT Acme 90..'])
      // Without the text that ended it, it lasts until the next one begins.
      const { items } = await storage.list(alice, { now: start + 100, limit: 9, q: 'left Acme' })
      await storage.forget(alice, { memoryIds: items.map(({ id }) => id) })
      expect(await drawn({ includeHistory: true })).toEqual(['John WORKS_AT Acme 0..90', 'John WORKS_AT Acme 90..'])
    })

    it('stop excluding others when the memory that stated them is erased', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, employment('John', 'Acme'))
      const id = await notebook.storeOne(alice, employment('John', 'Globex', { createdAt: start + 100 }))
      await storage.forget(alice, { memoryIds: [id] })
      expect(await drawn()).toEqual(['John WORKS_AT Acme 0..'])
    })

    it('that are symmetric are stored once, and shown from the requested end', async () => {
      const { storage, notebook } = subject()
      const people = (from: string, to: string, type: 'SPOUSE_OF' | 'KNOWS', at: number) =>
        notebook.commit(alice, {
          memories: [
            notebook.memory({
              content: `${from} ${type} ${to}`,
              createdAt: start + at,
              entities: [
                [from, 'PERSON'],
                [to, 'PERSON'],
              ],
              relationships: [{ from, type, to, exclusive: type === 'SPOUSE_OF' }],
            }),
          ],
        })
      expect((await people('John', 'Zoe', 'SPOUSE_OF', 0)).relationshipsCreated).toBe(1)
      expect((await people('Zoe', 'John', 'SPOUSE_OF', 10)).relationshipsCreated).toBe(0)
      await people('Zoe', 'John', 'KNOWS', 20)
      expect(await drawn()).toEqual(['John SPOUSE_OF Zoe 0..', 'John KNOWS Zoe 20..'])
      expect(await drawn({}, 'Zoe')).toEqual(['Zoe SPOUSE_OF John 0..', 'Zoe KNOWS John 20..'])
      const zoe = await entityNamed(storage, alice, 'Zoe')
      const [married] = await storage.relationships(alice, zoe.id, { now: start + 100 })
      expect(married?.memoryIds).toHaveLength(2)
      // Either end may marry again.
      await people('Ben', 'Zoe', 'SPOUSE_OF', 50)
      expect(await drawn()).toEqual(['John KNOWS Zoe 20..'])
      expect(await drawn({}, 'Zoe')).toEqual(['Zoe KNOWS John 20..', 'Zoe SPOUSE_OF Ben 50..'])
    })

    it('that have an inverse are stored once, and shown with the right type from either end', async () => {
      const { notebook } = subject()
      const people = (from: string, type: 'MANAGES' | 'REPORTS_TO', to: string, kind: 'PERSON' | 'ORG' = 'PERSON') =>
        notebook.commit(alice, {
          memories: [
            notebook.memory({
              content: `${from} ${type} ${to}`,
              entities: [
                [from, 'PERSON'],
                [to, kind],
              ],
              relationships: [{ from, type, to }],
            }),
          ],
        })
      expect((await people('John', 'MANAGES', 'Zoe')).relationshipsCreated).toBe(1)
      expect((await people('Zoe', 'REPORTS_TO', 'John')).relationshipsCreated).toBe(0)
      await people('John', 'MANAGES', 'Acme', 'ORG')
      expect(await drawn()).toEqual(['John MANAGES Zoe 0..', 'John MANAGES Acme 0..'])
      expect(await drawn({}, 'Zoe')).toEqual(['Zoe REPORTS_TO John 0..'])
      expect(await drawn({}, 'Acme')).toEqual(['John MANAGES Acme 0..'])
    })
  })
}
