import { describe, expect, it } from 'vitest'
import { endOf } from '../../core/memory-event.js'
import { everyoneScope, nobodyScope, type UserScope, userScope } from '../../core/scope.js'
import type { NewWebhook, WebhookProgress } from '../ports/webhook-store.js'
import { alice, bob, type Notebook, start } from './notebook.js'
import type { Subject } from './subject.js'

function draft(notebook: Notebook, more: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: notebook.id('whk'),
    url: 'https://example.com/hook',
    types: [],
    project: null,
    secret: 'a secret of the receiver',
    createdAt: start,
    createdBy: null,
    ...more,
  }
}

const claimAt = (now: number, token = 'mine', perUser = 9) => ({ token, now, until: now + 1000, perUser })
const done = (revision: number): WebhookProgress => ({
  mark: endOf(revision),
  attempts: 0,
  nextAttemptAt: 0,
  isFailing: false,
  claimedUntil: 0,
})

export function describeWebhooks(subject: () => Subject): void {
  describe('webhooks', () => {
    it('are kept per user, listed without their secret, and survive reopening', async () => {
      const { storage, notebook, reopen } = subject()
      const mine = draft(notebook, { types: ['memory.stored'], project: 'p', createdBy: 'key_1' })
      const theirs = draft(notebook)
      await storage.createWebhook(alice, mine, 10)
      await storage.createWebhook(bob, theirs, 10)
      const again = await reopen()
      const { secret: _, ...fields } = mine
      expect(await again.listWebhooks(alice)).toEqual([
        {
          ...fields,
          userId: 'alice',
          attempts: 0,
          nextAttemptAt: 0,
          isFailing: false,
          lastAttemptAt: null,
          lastSuccessAt: null,
          lastStatus: null,
          lastError: null,
          deadLetters: 0,
        },
      ])
      expect((await again.listWebhooks(everyoneScope())).map(({ id }) => id)).toEqual([mine.id, theirs.id])
      expect(await again.listWebhooks(nobodyScope)).toEqual([])
      expect(await again.findWebhook(alice, theirs.id)).toBeNull()
      expect(await again.deleteWebhook(alice, theirs.id)).toBe(false)
      expect(await again.deleteWebhook(bob, theirs.id)).toBe(true)
      expect(await again.deleteWebhook(bob, theirs.id)).toBe(false)
      expect(await again.findWebhook(alice, mine.id)).toMatchObject({ url: mine.url })
    })

    it('are limited per user, even when created concurrently', async () => {
      const { storage, notebook } = subject()
      const made = await Promise.all(Array.from({ length: 5 }, () => storage.createWebhook(alice, draft(notebook), 3)))
      expect(made.filter(Boolean)).toHaveLength(3)
      expect(await storage.createWebhook(bob, draft(notebook), 3)).toBe(true)
    })

    it('are claimed by one caller at a time when there is something new, until released or the claim ends', async () => {
      const { storage, notebook } = subject()
      await notebook.storeOne(alice, { content: 'before' })
      const hook = draft(notebook)
      await storage.createWebhook(alice, hook, 10)
      const claim = async (now: number, token?: string) =>
        (await storage.claimWebhooks(everyoneScope(), claimAt(now, token), 9)).map(({ id }) => id)
      expect(await claim(start)).toEqual([])
      await notebook.storeOne(alice, { content: 'after' })
      const claims = await Promise.all([claim(start, 'one'), claim(start, 'two'), claim(start, 'three')])
      expect(claims.flat()).toEqual([hook.id])
      expect(await claim(start + 999)).toEqual([])
      const [again] = await storage.claimWebhooks(everyoneScope(), claimAt(start + 1000), 9)
      expect(again).toMatchObject({ id: hook.id, secret: hook.secret, mark: endOf(1), userId: 'alice' })
      // The previous holder is too late.
      expect(await storage.settleWebhook(alice, hook.id, 'one', done(2))).toBe(false)
      expect(await storage.settleWebhook(bob, hook.id, 'mine', done(2))).toBe(false)
      expect(await storage.settleWebhook(alice, hook.id, 'mine', done(2))).toBe(true)
      expect(await claim(start + 9999)).toEqual([])
    })

    it('are claimed in turn: one of each user first, then few per user, and who waited longest first', async () => {
      const { storage, notebook } = subject()
      const own = async (scope: UserScope, count: number) => {
        const hooks = Array.from({ length: count }, () => draft(notebook))
        for (const hook of hooks) await storage.createWebhook(scope, hook, 10)
        await notebook.storeOne(scope, { content: 'new' })
        return hooks.map(({ id }) => id)
      }
      const [many, one, other] = [await own(alice, 5), await own(bob, 1), await own(userScope('carol'), 1)]
      const claim = async (now: number, limit: number) =>
        (await storage.claimWebhooks(everyoneScope(), claimAt(now, 'mine', 2), limit)).map(({ id }) => id)
      expect(new Set(await claim(start, 3))).toEqual(new Set([many[0], ...one, ...other]))
      // The second of two, and no third while both are claimed.
      expect(await claim(start, 9)).toEqual([many[1]])
      expect(await claim(start, 9)).toEqual([])
      const attempted = { at: start + 5, status: 204, error: null }
      for (const id of many.slice(0, 2)) {
        await storage.settleWebhook(alice, id ?? '', 'mine', { ...done(0), attempted })
      }
      for (const [scope, [id = '']] of [[bob, one] as const, [userScope('carol'), other] as const]) {
        await storage.settleWebhook(scope, id, 'mine', { ...done(0), attempted: { ...attempted, at: start + 4 } })
      }
      expect(await claim(start + 6, 2)).toEqual([...one, ...other])
    })

    it('wait for their next attempt, and keep the outcome of the last one', async () => {
      const { storage, notebook } = subject()
      const hook = draft(notebook)
      await storage.createWebhook(alice, hook, 10)
      await notebook.storeOne(alice, { content: 'new' })
      await storage.claimWebhooks(everyoneScope(), claimAt(start), 9)
      await storage.settleWebhook(alice, hook.id, 'mine', {
        ...done(0),
        attempts: 1,
        nextAttemptAt: start + 5000,
        attempted: { at: start + 7, status: 500, error: 'status' },
      })
      expect(await storage.claimWebhooks(everyoneScope(), claimAt(start + 4999), 9)).toEqual([])
      const [due] = await storage.claimWebhooks(everyoneScope(), claimAt(start + 5000), 9)
      expect(due).toMatchObject({ attempts: 1, lastStatus: 500, lastError: 'status', lastAttemptAt: start + 7 })
      const attempted = { at: start + 8, status: 204, error: null }
      await storage.settleWebhook(alice, hook.id, 'mine', { ...done(1), attempted })
      expect(await storage.findWebhook(alice, hook.id)).toMatchObject({
        lastStatus: 204,
        lastError: null,
        lastSuccessAt: start + 8,
      })
    })

    it('keep dead letters until they are redelivered', async () => {
      const { storage, notebook } = subject()
      const hook = draft(notebook)
      await storage.createWebhook(alice, hook, 10)
      const [one, two] = await notebook.store(alice, { content: 'one' }, { content: 'two' })
      await storage.claimWebhooks(everyoneScope(), claimAt(start), 9)
      for (const position of [0, 1])
        await storage.settleWebhook(alice, hook.id, 'mine', {
          ...done(1),
          claimedUntil: start + 1000,
          attempted: { at: start + position, status: null, error: 'timeout' },
          dead: { mark: { revision: 1, position }, attempts: 8 },
        })
      const dead = await storage.deadLetters(alice, hook.id, 1)
      expect(dead).toMatchObject({
        total: 2,
        items: [{ event: { memoryId: one }, attempts: 8, status: null, error: 'timeout', at: start, isDue: false }],
      })
      expect(await storage.deadLetters(bob, hook.id, 9)).toEqual({ total: 0, items: [] })
      expect(await storage.redeliver(bob, hook.id, null)).toBe(0)
      expect(await storage.redeliver(alice, hook.id, [{ revision: 1, position: 1 }, endOf(9)])).toBe(1)
      await storage.settleWebhook(alice, hook.id, 'mine', done(1))
      expect(await storage.claimWebhooks(everyoneScope(), claimAt(start), 9)).toHaveLength(1)
      await storage.settleWebhook(alice, hook.id, 'mine', { ...done(1), revived: { revision: 1, position: 1 } })
      expect(await storage.deadLetters(alice, hook.id, 9)).toMatchObject({ total: 1, items: [{ isDue: false }] })
      expect(await storage.claimWebhooks(everyoneScope(), claimAt(start), 9)).toEqual([])
      expect(two).toBeDefined()
      expect(await storage.redeliver(alice, hook.id, null)).toBe(1)
    })

    it('lose the dead letters of an erased memory', async () => {
      const { storage, notebook } = subject()
      const hook = draft(notebook)
      await storage.createWebhook(alice, hook, 10)
      const id = await notebook.storeOne(alice, { content: 'one' })
      await storage.claimWebhooks(everyoneScope(), claimAt(start), 9)
      const dead = { mark: { revision: 1, position: 0 }, attempts: 8 }
      await storage.settleWebhook(alice, hook.id, 'mine', { ...done(1), dead })
      await storage.forget(alice, { memoryIds: [id] }, start)
      expect(await storage.deadLetters(alice, hook.id, 9)).toEqual({ total: 0, items: [] })
      // An event that is gone cannot become a dead letter.
      const [claimed] = await storage.claimWebhooks(everyoneScope(), claimAt(start + 1), 9)
      expect(claimed?.id).toBe(hook.id)
      await storage.settleWebhook(alice, hook.id, 'mine', { ...done(2), dead })
      expect((await storage.deadLetters(alice, hook.id, 9)).total).toBe(0)
      expect(await storage.settleWebhook(userScope('carol'), hook.id, 'mine', done(2))).toBe(false)
    })
  })
}
