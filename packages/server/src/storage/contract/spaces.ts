import { describe, expect, it } from 'vitest'
import { everyoneScope, userScope } from '../../core/scope.js'
import type { Member, NewSpace } from '../ports/space-store.js'
import { alice, bob, type Notebook, start } from './notebook.js'
import type { Subject } from './subject.js'

const anyPage = { limit: 50, offset: 0 }
const rules = { most: 10, onlyIfOwnerless: false }

function draft(notebook: Notebook, name = 'Team'): NewSpace {
  return { id: notebook.id('spc'), name, createdAt: start }
}

function member(userId: string, role: Member['role'] = 'reader', joinedAt = start + 1): Member {
  return { userId, role, joinedAt }
}

export function describeSpaces(subject: () => Subject): void {
  describe('spaces', () => {
    async function made(name?: string) {
      const { storage, notebook } = subject()
      const space = draft(notebook, name)
      expect(await storage.spaces.create(alice, space, 10)).toBe(true)
      return { space, of: userScope(space.id) }
    }

    it('belong to the user who created them, and survive reopening', async () => {
      const { reopen } = subject()
      const { space, of } = await made('Équipe 🚀')
      const { spaces } = await reopen()
      expect(await spaces.find(of)).toEqual(space)
      expect(await spaces.list(alice, anyPage)).toEqual({ total: 1, items: [{ ...space, role: 'owner' }] })
      expect(await spaces.listMembers(of, anyPage)).toEqual({ total: 1, items: [member('alice', 'owner', start)] })
      expect(await spaces.roleIn(alice, space.id)).toBe('owner')
    })

    it('are invisible to a user without a membership', async () => {
      const { storage, notebook } = subject()
      const { space } = await made()
      expect(await storage.spaces.roleIn(bob, space.id)).toBeNull()
      expect(await storage.spaces.roleIn(bob, notebook.id('spc'))).toBeNull()
      expect(await storage.spaces.roleIn(userScope('alice\0'), space.id)).toBeNull()
      expect(await storage.spaces.roleIn(alice, `${space.id}\0`)).toBeNull()
      expect(await storage.spaces.list(bob, anyPage)).toEqual({ total: 0, items: [] })
    })

    it('take members, change their roles and let them go at once', async () => {
      const { storage } = subject()
      const { space, of } = await made()
      const roleOfBob = () => storage.spaces.roleIn(bob, space.id)
      expect(await storage.spaces.setMember(of, member('bob'), rules)).toBe('done')
      expect(await roleOfBob()).toBe('reader')
      expect(await storage.spaces.setMember(of, member('bob', 'writer', start + 9), rules)).toBe('done')
      expect(await roleOfBob()).toBe('writer')
      const { items } = await storage.spaces.listMembers(of, anyPage)
      expect(items).toEqual([member('alice', 'owner', start), member('bob', 'writer', start + 1)])
      expect((await storage.spaces.listMembers(of, { limit: 1, offset: 1 })).items).toEqual([items[1]])
      expect(await storage.spaces.removeMember(of, 'bob')).toBe('done')
      expect(await roleOfBob()).toBeNull()
      expect(await storage.spaces.removeMember(of, 'bob')).toBe('not_found')
    })

    it('change only the named space', async () => {
      const { storage } = subject()
      const { space: first, of } = await made('one')
      const { space: second } = await made('two')
      await storage.spaces.setMember(of, member('bob'), rules)
      expect(await storage.spaces.rename(of, 'renamed')).toBe(true)
      expect(await storage.spaces.roleIn(bob, second.id)).toBeNull()
      expect((await storage.spaces.list(alice, anyPage)).items.map(({ name }) => name).sort()).toEqual([
        'renamed',
        'two',
      ])
      await storage.spaces.drop(of)
      expect(await storage.spaces.find(of)).toBeNull()
      expect(await storage.spaces.roleIn(bob, first.id)).toBeNull()
      expect((await storage.spaces.list(alice, anyPage)).items.map(({ id }) => id)).toEqual([second.id])
    })

    it('keep an owner, even when two owners leave at the same time', async () => {
      const { storage } = subject()
      const { of } = await made()
      expect(await storage.spaces.removeMember(of, 'alice')).toBe('last_owner')
      expect(await storage.spaces.setMember(of, member('alice', 'writer'), rules)).toBe('last_owner')
      await storage.spaces.setMember(of, member('bob', 'owner'), rules)
      const changes = await Promise.all(['alice', 'bob'].map((userId) => storage.spaces.removeMember(of, userId)))
      expect(changes.sort()).toEqual(['done', 'last_owner'])
    })

    it('are limited in number and size, even when created concurrently', async () => {
      const { storage, notebook } = subject()
      const creations = await Promise.all(
        Array.from({ length: 5 }, () => storage.spaces.create(alice, draft(notebook), 3)),
      )
      expect(creations.filter(Boolean)).toHaveLength(3)
      const of = userScope((await storage.spaces.list(alice, anyPage)).items[0]?.id ?? '')
      const few = { ...rules, most: 2 }
      expect(await storage.spaces.setMember(of, member('bob'), few)).toBe('done')
      expect(await storage.spaces.setMember(of, member('carol'), few)).toBe('full')
      expect(await storage.spaces.setMember(of, member('bob', 'writer'), few)).toBe('done')
      // Others can add bob to as many spaces as they like, and bob can still create some.
      expect(await storage.spaces.create(bob, draft(notebook), 1)).toBe(true)
    })

    it('are left by a user: without an owner if members remain, and kept for erasure if none do', async () => {
      const { storage } = subject()
      const { space: shared, of } = await made('shared')
      const { space: owned, of: withOwner } = await made('with another owner')
      const { space: lonely } = await made('lonely')
      await storage.spaces.setMember(of, member('bob', 'writer'), rules)
      await storage.spaces.setMember(withOwner, member('bob', 'owner'), rules)
      const { left, ownerless, alone } = await storage.spaces.leaveAll(alice)
      expect({ left: [...left].sort(), ownerless, alone }).toEqual({
        left: [shared.id, owned.id].sort(),
        ownerless: [shared.id],
        alone: [lonely.id],
      })
      expect(await storage.spaces.roleIn(alice, shared.id)).toBeNull()
      expect(await storage.spaces.roleIn(alice, lonely.id)).toBe('owner')
      expect(await storage.spaces.roleIn(bob, shared.id)).toBe('writer')
      const appointed = { ...rules, onlyIfOwnerless: true }
      expect(await storage.spaces.setMember(of, member('carol', 'owner'), appointed)).toBe('done')
      expect(await storage.spaces.setMember(of, member('dave', 'owner'), appointed)).toBe('has_owner')
    })

    it('have memories of their own, like a user', async () => {
      const { storage, notebook } = subject()
      const { space, of } = await made()
      await notebook.storeOne(of, { content: 'of the space' })
      await notebook.storeOne(alice, { content: 'of alice' })
      const contents = async (scope: typeof of) =>
        (await storage.list(scope, { limit: 9, now: start, includeExpired: false, order: 'age' })).items.map(
          ({ content, userId }) => [content, userId],
        )
      expect(await contents(of)).toEqual([['of the space', space.id]])
      expect(await contents(alice)).toEqual([['of alice', 'alice']])
    })

    it('take no memory once they are being deleted, and only the last member reaches them', async () => {
      const { storage, notebook } = subject()
      const { space, of } = await made()
      await storage.spaces.setMember(of, member('bob', 'owner'), rules)
      await notebook.storeOne(of, { content: 'old' })
      expect(await storage.spaces.close(of, 'alice')).toBe(true)
      expect(await storage.spaces.roleIn(bob, space.id)).toBeNull()
      expect(await storage.spaces.roleIn(alice, space.id)).toBe('owner')
      await expect(notebook.storeOne(of, { content: 'new' })).rejects.toMatchObject({ code: 'not_found' })
      expect(await storage.spaces.setMember(of, member('bob'), rules)).toBe('not_found')
      expect(await storage.forget(of, { all: true })).toHaveLength(1)
      await storage.spaces.drop(of)
      await expect(notebook.storeOne(of, { content: 'new' })).rejects.toMatchObject({ code: 'not_found' })
      expect(await storage.spaces.close(of, 'alice')).toBe(false)
      expect(
        (await storage.list(everyoneScope(), { limit: 9, now: start, includeExpired: false, order: 'age' })).total,
      ).toBe(0)
    })
  })
}
