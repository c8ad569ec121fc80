import { describe, expect, it } from 'vitest'
import type { EntityType } from '../../core/entity.js'
import { nobodyScope, userScope } from '../../core/scope.js'
import { alice, allRows, bob, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeMerges(subject: () => Subject): void {
  const page = { now: start + 1_000, limit: 50, offset: 0 }
  const mention = (...names: readonly (string | readonly [string, ...string[]])[]) =>
    subject().notebook.storeOne(alice, {
      content: `${names.join(' and ')} ${Math.random()}`,
      entities: names.map((name) => {
        const [first, ...aliases] = typeof name === 'string' ? [name] : name
        return [first, 'PERSON', ...aliases] as const
      }),
    })
  /** `Melanie(Mel):2` for an entity with an alias and two memories. */
  const drawn = async (type: EntityType = 'PERSON') => {
    const { items } = await subject().storage.listEntities(alice, { ...page, type })
    return items.map(({ name, aliases, memoryCount }) => `${name}(${aliases.join(',')}):${memoryCount}`).sort()
  }
  const mergesOf = async (name: string) =>
    subject().storage.listMerges(alice, (await entityNamed(subject().storage, alice, name)).id)

  describe('merged names', () => {
    it('join a full name and its given name, in either order', async () => {
      await mention('Maria Garcia')
      await mention('Maria')
      await mention('Tom')
      await mention('Tom Ford')
      expect(await drawn()).toEqual(['Maria Garcia(Maria):2', 'Tom Ford(Tom):2'])
      expect(await mergesOf('Maria Garcia')).toMatchObject([
        {
          rule: 'full_name',
          from: { name: 'Maria' },
          into: { name: 'Maria Garcia' },
          revertedAt: null,
          userId: 'alice',
        },
      ])
    })

    it('join a short form with the only person it fits', async () => {
      await mention('Melanie')
      await mention('Mel')
      await mention('Bob')
      expect(await drawn()).toEqual(['Bob():1', 'Melanie(Mel):2'])
      expect(await mergesOf('Melanie')).toMatchObject([{ rule: 'short_form' }])
      await mention('Robert Lee')
      expect(await drawn()).toEqual(['Melanie(Mel):2', 'Robert Lee(Bob):2'])
    })

    it('join two names that a text gives one entity, even if both were known before', async () => {
      await mention('Peggy')
      await mention('Mrs Blue')
      await mention(['Mrs Blue', 'Peggy'])
      expect(await drawn()).toEqual(['Mrs Blue(Peggy):3'])
      expect(await mergesOf('Mrs Blue')).toMatchObject([{ rule: 'stated', from: { name: 'Peggy' } }])
    })

    it('keep two people with the same given name apart, and the given name alone separate from both', async () => {
      await mention('Anna Smith')
      await mention('Anna')
      expect(await drawn()).toEqual(['Anna Smith(Anna):2'])
      await mention('Anna Jones')
      expect(await drawn()).toEqual(['Anna Jones():1', 'Anna Smith():1', 'Anna():1'])
      await mention('Anna')
      expect(await drawn()).toEqual(['Anna Jones():1', 'Anna Smith():1', 'Anna():2'])
      expect(await mergesOf('Anna')).toMatchObject([{ revertedBy: 'rule' }])
    })

    it('join an organisation with its longer name, and a product of the same name, in any order', async () => {
      const { notebook, storage } = subject()
      const names: readonly (readonly [string, EntityType])[] = [
        ['Volvo', 'ORG'],
        ['Volvo Cars', 'ORG'],
        ['Volvo AB', 'ORG'],
        ['Volvo', 'PRODUCT'],
        ['Volvo V60', 'PRODUCT'],
      ]
      const orders = [names, [...names].reverse(), [2, 3, 1, 4, 0].flatMap((index) => names.slice(index, index + 1))]
      for (const [index, order] of orders.entries()) {
        const scope = userScope(`order-${index}`)
        for (const [name, type] of order) await notebook.storeOne(scope, { content: name, entities: [[name, type]] })
        const { items } = await storage.listEntities(scope, page)
        expect(items.map(({ name, memoryCount }) => `${name}:${memoryCount}`).sort()).toEqual([
          'Volvo Cars:4',
          'Volvo V60:1',
        ])
      }
    })

    it('keep two organisations that begin alike apart, and their common name separate from both', async () => {
      const { notebook } = subject()
      const store = (name: string) => notebook.storeOne(alice, { content: name, entities: [[name, 'ORG']] })
      await store('Volvo')
      await store('Volvo Cars')
      expect(await drawn('ORG')).toEqual(['Volvo Cars(Volvo):2'])
      expect(await mergesOf('Volvo Cars')).toMatchObject([{ rule: 'company_name', from: { name: 'Volvo' } }])
      await store('Volvo Trucks')
      expect(await drawn('ORG')).toEqual(['Volvo Cars():1', 'Volvo Trucks():1', 'Volvo():1'])
    })

    it('never join different types or users, or a full name with a person of another given name', async () => {
      const { storage, notebook } = subject()
      await mention('Melanie')
      await notebook.store(bob, { content: 'x', entities: [['Mel', 'PERSON']] })
      await notebook.store(alice, { content: 'y', entities: [['Mel', 'ORG']] })
      await mention('Mel Brooks')
      expect(await drawn()).toEqual(['Mel Brooks():1', 'Melanie():1'])
      expect(await drawn('ORG')).toEqual(['Mel():1'])
      expect((await entityNamed(storage, bob, 'Mel')).aliases).toEqual([])
    })

    it('share memories, filters and graph hops among all names of the entity', async () => {
      const { storage, notebook } = subject()
      const first = await mention('Melanie')
      const second = await notebook.storeOne(alice, employment('Mel', 'Acme', { createdAt: start + 10 }))
      const both = await mention('Mel', 'Melanie')
      const acme = await notebook.storeOne(alice, { content: 'about Acme', entities: [['Acme', 'ORG']] })
      const { id, memoryCount } = await entityNamed(storage, alice, 'Melanie', page.now)
      expect(memoryCount).toBe(3)
      const { items, total } = await storage.list(alice, { ...page, entityId: id })
      expect([total, items.map((memory) => memory.id).sort()]).toEqual([3, [first, second, both].sort()])
      expect((await storage.find(alice, both, page))?.entities).toEqual(['Melanie'])
      const rowsOf = async (ids: readonly string[]) => {
        const rows = (await allRows(storage, alice)).map(({ row }) => row)
        const all = await storage.hydrate(alice, rows, { vectors: false })
        return all.filter(({ memory }) => ids.includes(memory.id)).map(({ row }) => row)
      }
      for (const entity of ['Mel', 'melanie', id])
        expect((await storage.matching(alice, { entity })).sort()).toEqual((await rowsOf([first, second, both])).sort())
      const connected = await storage.connected(alice, ['melanie'], 50)
      const near = (hops: number) => connected.filter((each) => each.hops === hops).map(({ row }) => row)
      expect(near(0).sort()).toEqual((await rowsOf([first, second, both])).sort())
      expect(near(1)).toEqual(await rowsOf([acme]))
    })

    it('share one employer at a time, and get their own back when the merge is reverted', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, employment('Mel', 'Acme'))
      await notebook.store(alice, employment('Melanie', 'Globex', { createdAt: start + 100 }))
      const employers = async (name: string) => {
        const { id } = await entityNamed(storage, alice, name, page.now)
        const found = await storage.relationships(alice, id, page)
        return found.map(
          ({ source, target, validTo }) => `${source} ${target} ${validTo === null ? '' : validTo - start}`,
        )
      }
      expect(await employers('Melanie')).toEqual(['Melanie Globex '])
      const [merge] = await mergesOf('Melanie')
      await storage.revertMerge(alice, merge?.id ?? '', start + 200)
      expect(await employers('Melanie')).toEqual(['Melanie Globex '])
      expect(await employers('Mel')).toEqual(['Mel Acme '])
    })

    it('show a relationship once if both names have it', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, employment('Melanie', 'Acme'))
      const second = await notebook.commit(alice, {
        memories: [notebook.memory(employment('Mel', 'Acme', { createdAt: start + 10 }))],
      })
      expect(second.relationshipsCreated).toBe(0)
      const { id } = await entityNamed(storage, alice, 'Melanie', page.now)
      const found = await storage.relationships(alice, id, page)
      expect(found).toMatchObject([{ source: 'Melanie', target: 'Acme', validFrom: start, validTo: null }])
      expect(found[0]?.memoryIds).toHaveLength(2)
    })

    it('lose nothing when the merge is reverted, and no rule merges them again', async () => {
      const { storage } = subject()
      await mention('Melanie')
      await mention('Mel')
      const [merge] = await mergesOf('Melanie')
      const reverted = await storage.revertMerge(alice, merge?.id ?? '', start + 50)
      expect(reverted).toMatchObject({ id: merge?.id, revertedAt: start + 50, revertedBy: 'user' })
      expect(await storage.revertMerge(alice, merge?.id ?? '', start + 60)).toEqual(reverted)
      await mention('Mel')
      await mention('Melanie Jones')
      expect(await drawn()).toEqual(['Mel():2', 'Melanie Jones(Melanie):2'])
    })

    it('can be merged by hand, and no rule undoes that', async () => {
      const { storage, notebook } = subject()
      await mention('Zed')
      await mention('Anna Smith')
      const [zed, anna] = [await entityNamed(storage, alice, 'Zed'), await entityNamed(storage, alice, 'Anna Smith')]
      const into = (intoId: string) => ({ id: notebook.id('mrg'), intoId, now: start + 5 })
      expect(await storage.mergeEntities(alice, zed.id, into(anna.id))).toMatchObject({
        merge: { rule: 'manual', from: { name: 'Zed' }, into: { name: 'Anna Smith' }, createdAt: start + 5 },
      })
      await mention('Zed Brown')
      expect(await drawn()).toEqual(['Anna Smith(Zed):2', 'Zed Brown():1'])
      expect(await storage.findEntity(alice, zed.id, page.now)).toMatchObject({ id: anna.id })
      expect(await storage.mergeEntities(alice, zed.id, into(anna.id))).toEqual({ refused: 'same' })
      await notebook.store(alice, { content: 'x', entities: [['Acme', 'ORG']] })
      await notebook.store(bob, { content: 'x', entities: [['Ben', 'PERSON']] })
      const acme = await entityNamed(storage, alice, 'Acme')
      const ben = await entityNamed(storage, bob, 'Ben')
      expect(await storage.mergeEntities(alice, acme.id, into(anna.id))).toEqual({ refused: 'other_type' })
      expect(await storage.mergeEntities(alice, anna.id, into(ben.id))).toEqual({ refused: 'no_target' })
      expect(await storage.mergeEntities(bob, anna.id, into(ben.id))).toEqual({ refused: 'no_entity' })
    })

    it('belong to one user: others cannot see or revert them', async () => {
      const { storage } = subject()
      await mention('Melanie')
      await mention('Mel')
      const { id } = await entityNamed(storage, alice, 'Melanie')
      const [merge] = await storage.listMerges(alice, id)
      for (const scope of [bob, nobodyScope]) {
        expect(await storage.listMerges(scope, id)).toEqual([])
        expect(await storage.revertMerge(scope, merge?.id ?? '', start)).toBeNull()
      }
      expect(await drawn()).toEqual(['Melanie(Mel):2'])
    })

    it('separate when the text that stated the merge, or either name, is forgotten', async () => {
      const { storage } = subject()
      await mention('Clark')
      const hero = await mention('Superman')
      const told = await mention(['Superman', 'Clark'])
      expect(await drawn()).toEqual(['Superman(Clark):3'])
      await storage.forget(alice, { memoryIds: [told] })
      expect(await drawn()).toEqual(['Clark():1', 'Superman():1'])
      expect(await mergesOf('Clark')).toEqual([])
      await storage.forget(alice, { memoryIds: [hero] })
      expect(await drawn()).toEqual(['Clark():1'])
    })

    it('leave the entity they were merged into when it is forgotten, and merge among themselves', async () => {
      const { storage } = subject()
      const full = await mention('Melanie Jones')
      await mention('Melanie')
      await mention('Mel')
      expect(await drawn()).toEqual(['Melanie Jones(Mel,Melanie):3'])
      await storage.forget(alice, { memoryIds: [full] })
      expect(await drawn()).toEqual(['Melanie(Mel):2'])
    })
  })
}
