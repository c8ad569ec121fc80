import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { RawTextGone } from '../ports/inbox.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeInbox(subject: () => Subject): void {
  describe('the inbox', () => {
    const idsOf = (texts: readonly { readonly id: string }[]) => texts.map(({ id }) => id)

    it('keeps texts per user, oldest first, in slices, even after reopening', async () => {
      const { storage, notebook, reopen } = subject()
      const ids = [notebook.id('doc'), notebook.id('doc'), notebook.id('doc')] as const
      await storage.keepRaw(alice, { id: ids[0], payload: '{"text":"first ✓"}' })
      await storage.keepRaw(bob, { id: ids[1], payload: 'second' })
      await storage.keepRaw(userScope('alice', 'p'), { id: ids[2], payload: 'third' })
      const again = await reopen()
      expect(await again.pendingRaw(alice, null, 10)).toEqual([
        { id: ids[0], userId: 'alice', project: null, payload: '{"text":"first ✓"}' },
        { id: ids[2], userId: 'alice', project: 'p', payload: 'third' },
      ])
      expect(idsOf(await again.pendingRaw(everyoneScope(), null, 2))).toEqual([ids[0], ids[1]])
      expect(idsOf(await again.pendingRaw(everyoneScope(), ids[1], 2))).toEqual([ids[2]])
      expect(idsOf(await again.pendingRaw(userScope('alice', 'p'), null, 9))).toEqual([ids[2]])
      expect(await again.pendingRaw(nobodyScope, null, 9)).toEqual([])
      expect(await again.pendingRaw(userScope('carol'), null, 9)).toEqual([])
    })

    it('removes a text and commits its memories in one transaction', async () => {
      const { storage, notebook } = subject()
      const id = notebook.id('doc')
      await storage.keepRaw(alice, { id, payload: 'text' })
      const memories = [notebook.memory({ content: 'a' })]
      await expect(notebook.commit(alice, { memories, rawId: id, expectedRevision: 7 })).rejects.toThrow(
        RevisionConflict,
      )
      const twice = [notebook.memory({ content: 'b', supersedes: [notebook.id('mem')] })]
      await expect(notebook.commit(alice, { memories: twice, rawId: id })).rejects.toThrow(RevisionConflict)
      expect(idsOf(await storage.pendingRaw(alice, null, 9))).toEqual([id])
      await notebook.commit(alice, { memories, rawId: id })
      expect(await storage.pendingRaw(alice, null, 9)).toEqual([])
      expect((await storage.list(alice, { now: start, limit: 9 })).total).toBe(1)
    })

    it('writes nothing for a text that is gone or belongs to another user', async () => {
      const { storage, notebook } = subject()
      const [mine, foreign] = [notebook.id('doc'), notebook.id('doc')]
      await storage.keepRaw(alice, { id: mine, payload: 'mine' })
      await storage.keepRaw(bob, { id: foreign, payload: 'foreign' })
      const commit = (rawId: string, content: string) =>
        notebook.commit(alice, { memories: [notebook.memory({ content })], rawId })
      await commit(mine, 'once')
      await expect(commit(mine, 'twice')).rejects.toThrow(RawTextGone)
      await expect(commit(foreign, 'stolen')).rejects.toThrow(RawTextGone)
      const { items } = await storage.list(alice, { now: start, limit: 9 })
      expect(items.map(({ content }) => content)).toEqual(['once'])
      expect(await notebook.revision(alice)).toBe(1)
      expect(idsOf(await storage.pendingRaw(bob, null, 9))).toEqual([foreign])
    })

    it('drops a text for its own user only, and once', async () => {
      const { storage, notebook } = subject()
      const id = notebook.id('doc')
      await storage.keepRaw(alice, { id, payload: 'text' })
      expect(await storage.dropRaw(bob, id)).toBe(false)
      expect(await storage.dropRaw(alice, id)).toBe(true)
      expect(await storage.dropRaw(alice, id)).toBe(false)
    })

    it('is emptied when all of a user or project is forgotten, even before anything was stored', async () => {
      const { storage, notebook } = subject()
      const ids = [notebook.id('doc'), notebook.id('doc'), notebook.id('doc')] as const
      await storage.keepRaw(alice, { id: ids[0], payload: 'no project' })
      await storage.keepRaw(userScope('alice', 'p'), { id: ids[1], payload: 'project' })
      await storage.keepRaw(bob, { id: ids[2], payload: 'foreign' })
      await storage.forget(alice, { memoryIds: [notebook.id('mem')] })
      await storage.forget(nobodyScope, { all: true })
      expect(await storage.pendingRaw(everyoneScope(), null, 9)).toHaveLength(3)
      await storage.forget(userScope('alice', 'p'), { all: true })
      expect(idsOf(await storage.pendingRaw(alice, null, 9))).toEqual([ids[0]])
      await storage.forget(alice, { all: true })
      expect(idsOf(await storage.pendingRaw(everyoneScope(), null, 9))).toEqual([ids[2]])
    })

    it('rejects text that it could not return unchanged', async () => {
      const { storage, notebook } = subject()
      const payload = 'a\0b'
      await expect(storage.keepRaw(alice, { id: notebook.id('doc'), payload })).rejects.toMatchObject({
        code: 'validation_error',
      })
      expect(await storage.pendingRaw(userScope('ali\0ce'), null, 9)).toEqual([])
    })
  })
}
