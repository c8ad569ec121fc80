import { describe, expect, it } from 'vitest'
import { type KeptTurn, longestPauseMs, mostTurnsKept } from '../../core/conversation.js'
import { everyoneScope, nobodyScope, type UserScope, userScope } from '../../core/scope.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

export function turn(text: string, more: Partial<KeptTurn> = {}): KeptTurn {
  return { role: 'user', speaker: null, prefix: '', spoken: true, text, at: start, expiresAt: null, ...more }
}

export function describeConversations(subject: () => Subject): void {
  describe('the last turns of a conversation', () => {
    const minute = 60_000
    const said = (texts: readonly string[], name = 'c', project: string | null = null) => ({
      project,
      name,
      turns: texts.map((text) => turn(text)),
      continues: false,
    })
    const last = async (scope: UserScope = alice, name = 'c', storedAfter = 0) =>
      (await subject().storage.lastTurns(scope, name, storedAfter)).map(({ text }) => text)
    const commit = (conversation: ReturnType<typeof said>, now = start, scope = alice) =>
      subject().notebook.commit(scope, { conversation, now })

    it('are returned as they were kept, even after reopening', async () => {
      const { notebook, reopen } = subject()
      const turns = [
        turn('Where? “✓” 😀', { role: 'assistant', prefix: 'Assistant: ', at: start - 5 }),
        turn('In Rome.', { speaker: 'Ann', prefix: 'Ann: ', spoken: false, expiresAt: start + 9 }),
      ]
      expect(await last()).toEqual([])
      await notebook.commit(alice, { conversation: { ...said([]), turns } })
      expect(await (await reopen()).lastTurns(alice, 'c', 0)).toEqual(turns)
    })

    it('continue with each store, and only the last few are kept', async () => {
      await commit(said(['one']))
      await commit(said(['two', 'three']))
      expect(await last()).toEqual(['one', 'two', 'three'])
      await commit(said(['four']))
      expect(await last()).toEqual(['two', 'three', 'four'])
      await commit(said(['five', 'six', 'seven', 'eight']))
      expect(await last()).toEqual(['six', 'seven', 'eight'].slice(-mostTurnsKept))
      await commit(said([]))
      expect(await last()).toEqual([])
    })

    it('all stay when stores of one conversation overlap', async () => {
      const { notebook, storage } = subject()
      await commit(said(['first']))
      const revision = await notebook.revision(alice)
      const store = (text: string) =>
        storage.commit(alice, notebook.storeCommit({ expectedRevision: revision, conversation: said([text]) }))
      const settled = await Promise.allSettled([store('a'), store('b')])
      expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await commit(said(['c']))
      expect(await last()).toEqual(['first', expect.stringMatching(/^[ab]$/), 'c'])
    })

    it('start again after a pause, and for turns of an earlier time', async () => {
      const at = (text: string, time: number) => ({ ...said([]), turns: [turn(text, { at: time })] })
      await commit(at('one', start))
      await commit(at('two', start + longestPauseMs))
      expect(await last()).toEqual(['one', 'two'])
      await commit(at('three', start + 2 * longestPauseMs + 1))
      expect(await last()).toEqual(['three'])
      await commit(at('four', start))
      expect(await last()).toEqual(['four'])
    })

    it('are separate by user, project and conversation', async () => {
      const places = [
        [alice, 'c', null],
        [alice, 'd', null],
        [alice, 'c', 'p'],
        [alice, 'c', 'q'],
        [bob, 'c', null],
        [bob, 'c', 'p'],
      ] as const
      for (const [scope, name, project] of places) {
        await commit(said([`${scope.userId} ${name} ${project}`], name, project), start, scope)
      }
      for (const [{ userId }, name, project] of places) {
        const scope = userScope(userId, project ?? undefined)
        expect(await last(scope, name)).toEqual([`${userId} ${name} ${project}`])
      }
      expect(await last(userScope('carol'))).toEqual([])
      expect(await last(userScope('ali\0ce'))).toEqual([])
      expect(await last(alice, 'c\0')).toEqual([])
    })

    it('are not kept by a commit that fails', async () => {
      const { notebook } = subject()
      await commit(said(['one']))
      const failing = notebook.commit(alice, { conversation: said(['two']), expectedRevision: 9 })
      await expect(failing).rejects.toThrow(RevisionConflict)
      expect(await last()).toEqual(['one'])
    })

    it('are too old after a while, and are dropped by age within a scope and by the next store', async () => {
      const { storage } = subject()
      await commit(said(['old'], 'old'))
      await commit(said(['new'], 'new'), start + minute)
      await commit(said(['of bob'], 'old'), start, bob)
      expect(await last(alice, 'old', start)).toEqual([])
      expect(await last(alice, 'old', start - 1)).toEqual(['old'])
      expect(await storage.dropConversations(nobodyScope, start + minute)).toBe(0)
      expect(await storage.dropConversations(userScope('carol'), start + minute)).toBe(0)
      expect(await storage.dropConversations(alice, start)).toBe(1)
      expect(await last(alice, 'new')).toEqual(['new'])
      expect(await storage.dropConversations(everyoneScope(), start)).toBe(1)
      await commit(said(['next'], 'next'), start + minute + longestPauseMs)
      expect(await last(alice, 'new')).toEqual([])
      expect(await last(alice, 'next')).toEqual(['next'])
    })

    it('are kept for the latest conversations only, so that an import does not fill the store', async () => {
      for (let index = 0; index < 70; index += 1) await commit(said(['x'], `c${index}`), start + index)
      expect(await last(alice, 'c69')).toEqual(['x'])
      expect(await last(alice, 'c10')).toEqual(['x'])
      expect(await last(alice, 'c0')).toEqual([])
    })

    it('are erased with any memory of their user, and with everything of a user or project', async () => {
      const { storage, notebook } = subject()
      const fill = async () => {
        for (const project of [null, 'p']) await commit(said(['mine'], 'c', project))
        await commit(said(['of bob']), start, bob)
      }
      const left = async () => [...(await last()), ...(await last(userScope('alice', 'p')))].length
      const [named = '', expiring = ''] = await notebook.store(
        alice,
        { content: 'a' },
        { content: 'b', expiresAt: start + 1 },
      )
      await fill()
      await storage.forget(alice, { memoryIds: [notebook.id('mem')] })
      expect(await left()).toBe(2)
      await storage.forget(alice, { memoryIds: [named] })
      expect(await left()).toBe(0)
      await fill()
      expect(await storage.purgeExpired(alice, start + 1)).toMatchObject([{ memoryId: expiring }])
      expect(await left()).toBe(0)
      await fill()
      await storage.forget(userScope('alice', 'p'), { all: true })
      expect(await left()).toBe(1)
      await storage.forget(alice, { all: true })
      expect(await left()).toBe(0)
      expect(await last(bob)).toContain('of bob')
      await storage.forget(everyoneScope(), { all: true })
      expect(await last(bob)).toEqual([])
    })
  })
}
