import { describe, expect, it } from 'vitest'
import { msPerDay } from '../../core/clock.js'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeOverview(subject: () => Subject): void {
  describe('the overview', () => {
    it('lists users with memories by id, page by page, with the number of all that a text matches', async () => {
      const { storage, notebook } = subject()
      for (const name of ['Zoë', 'ana', 'Anabel', '50%', '505', "o'neil"]) {
        await notebook.store(userScope(name), { content: `a memory of ${name}` })
      }
      await notebook.store(userScope('ana'), { content: 'another one' })
      const gone = await notebook.storeOne(userScope('gone'), { content: 'forgotten' })
      await storage.forget(userScope('gone'), { memoryIds: [gone] })
      const ids = async (query: { q?: string; limit?: number; offset?: number }) => {
        const { items, total } = await storage.overview.users({ limit: 10, offset: 0, ...query })
        return [total, ...items.map(({ userId }) => userId)]
      }
      expect(await ids({})).toEqual([6, '50%', '505', 'Anabel', 'Zoë', 'ana', "o'neil"])
      expect(await ids({ limit: 2, offset: 3 })).toEqual([6, 'Zoë', 'ana'])
      expect(await ids({ q: 'ANA' })).toEqual([2, 'Anabel', 'ana'])
      expect(await ids({ q: 'zoË' })).toEqual([1, 'Zoë'])
      expect(await ids({ q: '50%' })).toEqual([1, '50%'])
      expect(await ids({ q: "'" })).toEqual([1, "o'neil"])
      expect(await ids({ q: 'nobody' })).toEqual([0])
      expect(await ids({ q: 'a\0' })).toEqual([0])
      const { items } = await storage.overview.users({ q: 'ana', limit: 10, offset: 0 })
      expect(items).toEqual([
        { userId: 'Anabel', memories: 1 },
        { userId: 'ana', memories: 2 },
      ])
    })

    it('does not list a space among the users', async () => {
      const { storage, notebook } = subject()
      const id = notebook.id('spc')
      await storage.spaces.create(alice, { id, name: 'Team', createdAt: start }, 10)
      await notebook.store(userScope(id), { content: 'of the team' })
      await notebook.store(alice, { content: 'of alice' })
      const page = await storage.overview.users({ limit: 10, offset: 0 })
      expect(page).toEqual({ items: [{ userId: 'alice', memories: 1 }], total: 1 })
    })

    it('lists the projects of current memories of a scope, the largest first', async () => {
      const { storage, notebook } = subject()
      await notebook.store(
        alice,
        { content: 'a', project: 'home' },
        { content: 'b', project: 'work' },
        { content: 'c', project: 'work' },
        { content: 'd' },
        { content: 'e', project: 'past', expiresAt: start + 1 },
      )
      await notebook.store(bob, { content: 'f', project: 'secret' })
      const projects = (scope: Parameters<typeof storage.overview.projects>[0]) =>
        storage.overview.projects(scope, start + 1)
      const [home, work] = [
        { name: 'home', memories: 1 },
        { name: 'work', memories: 2 },
      ]
      expect(await projects(alice)).toEqual([work, home])
      expect(await projects(userScope('alice', 'home'))).toEqual([home])
      expect(await projects(userScope('nobody'))).toEqual([])
      expect(await projects(nobodyScope)).toEqual([])
      expect(await projects(everyoneScope())).toEqual([work, home, { name: 'secret', memories: 1 }])
    })

    it('counts the memories of a scope per day, superseded ones too', async () => {
      const { storage, notebook } = subject()
      const day = Math.floor(start / msPerDay)
      const at = (days: number) => (day + days) * msPerDay
      const old = notebook.memory({ content: 'old', project: 'work' })
      await notebook.commit(alice, { memories: [{ ...old, createdAt: at(-2) }] })
      const fresh = notebook.memory({ content: 'fresh' })
      await notebook.commit(alice, { memories: [{ ...fresh, createdAt: at(0), supersedes: [old.id] }] })
      const late = notebook.memory({ content: 'late' })
      await notebook.commit(alice, { memories: [{ ...late, createdAt: at(1) - 1 }] })
      await notebook.store(bob, { content: 'of bob' })
      expect(await storage.overview.activity(alice)).toEqual([
        { day: day - 2, created: 1 },
        { day, created: 2 },
      ])
      expect(await storage.overview.activity(userScope('alice', 'work'))).toEqual([{ day: day - 2, created: 1 }])
      expect(await storage.overview.activity(userScope('nobody'))).toEqual([])
      expect(await storage.overview.activity(nobodyScope)).toEqual([])
    })
  })
}
