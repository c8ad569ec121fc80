import { describe, expect, it } from 'vitest'
import { versionsOfItem } from '../ports/item-store.js'
import { newItem } from './items.js'
import { alice, bob, employment, Notebook, start, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

const userBytes = 1_000_000
const limits = { versionsKept: 3, userBytes }
/** A memory takes 2,048 bytes, its metadata two, and its text twice: as a version and as a source. */
const largest = (userBytes - 2_050) / 2

export function describeQuota(subject: () => Subject): void {
  describe('the room of a user', () => {
    const limited = async () => {
      const storage = await subject().reopen(limits)
      return { storage, notebook: new Notebook(storage) }
    }

    /** Exactly as much as an empty user has, so that not one byte was lost or gained. */
    async function expectAllRoom(notebook: Notebook): Promise<void> {
      const tooMuch = notebook.storeOne(alice, { content: 'x'.repeat(largest + 1) })
      await expect(tooMuch).rejects.toMatchObject({ code: 'validation_error', status: 413 })
      await notebook.storeOne(alice, { content: 'x'.repeat(largest) })
    }

    it('ends at the limit: nothing is written, and other users are not concerned', async () => {
      const { storage, notebook } = await limited()
      const content = 'x'.repeat(200_000)
      const id = await notebook.storeOne(alice, { content })
      await notebook.storeOne(alice, { content })
      const revision = await notebook.revision(alice)
      await expect(notebook.storeOne(alice, { content })).rejects.toMatchObject({
        status: 413,
        message: expect.stringMatching(/0\.8 MB of 1\.0 MB.*SERVICE_USER_QUOTA_MB/),
      })
      const more = { now: start, content: notebook.draft({ content: 'y'.repeat(250_000) }) }
      await expect(storage.update(alice, id, more)).rejects.toMatchObject({ status: 413 })
      expect(await notebook.revision(alice)).toBe(revision)
      expect((await storage.list(alice, { now: start, limit: 9 })).total).toBe(2)
      expect(await storage.find(alice, id, { now: start })).toMatchObject({ version: 1 })
      await notebook.storeOne(bob, { content })
    })

    it('comes back with everything that is erased', async () => {
      const { storage, notebook } = await limited()
      const content = 'x'.repeat(200_000)
      const first = await notebook.storeOne(alice, { content })
      await notebook.storeOne(alice, { content, expiresAt: start + 5 })
      await expect(notebook.storeOne(alice, { content })).rejects.toMatchObject({ status: 413 })
      await storage.forget(alice, { memoryIds: [first] }, start)
      await notebook.storeOne(alice, { content })
      await expect(notebook.storeOne(alice, { content })).rejects.toMatchObject({ status: 413 })
      await storage.purgeExpired(alice, start + 10)
      await notebook.storeOne(alice, { content })
      await storage.forget(alice, { all: true }, start)
      await expectAllRoom(notebook)
    })

    it('counts items with their versions to the byte', async () => {
      const { storage, notebook } = await limited()
      const put = (value: string, more: object = {}) => storage.items.put(alice, newItem({ value, ...more }))
      await put('x'.repeat(400_000))
      await put('ß'.repeat(200_000))
      await expect(put('z'.repeat(400_000))).rejects.toMatchObject({ status: 413 })
      await put('y'.repeat(100_000), { key: 'expires', expiresAt: start + 5 })
      const place = { namespace: 'users.1', key: 'settings' }
      expect((await storage.items.find(alice, place, { now: start }))?.value).toBe('ß'.repeat(200_000))
      await storage.items.remove(alice, place, { now: start })
      await storage.purgeExpired(alice, start + 10)
      for (let n = 0; n < versionsOfItem + 5; n++) await put(`version ${n}`)
      await put('of another', { namespace: 'n' })
      await storage.items.removeAll(alice, { prefix: 'users' }, start)
      await storage.forget(alice, { all: true }, start)
      await expectAllRoom(notebook)
    })

    it('is counted to the byte through every kind of change', async () => {
      const { storage, notebook } = await limited()
      const metadata = { ß: ['\t', 1.5, null] }
      const acme = await notebook.storeOne(alice, employment('John', 'Acme', { metadata }))
      const later = { createdAt: start + 100, supersedes: [acme] }
      await notebook.storeOne(alice, employment('John', 'Globex 😀', later))
      const [found] = (await storage.listContradictions(alice, { now: start + 200, limit: 9 })).items
      for (const verdict of ['revert', 'accept', 'revert'] as const) {
        await storage.decide(alice, found?.id ?? '', { verdict, now: start + 300 })
      }
      const content = 'Ida is 34, lives in Oslo, and sails'
      const ida = await notebook.storeOne(alice, { content })
      await notebook.storeOne(alice, { content: 'Ida moved', ends: [wordsOf(ida, content, 'lives in Oslo')] })
      await notebook.repeat(alice, ida, 'Ida sails, é')
      for (let n = 0; n < 6; n++) await storage.update(alice, ida, { now: start + 400 + n, metadata: { n, metadata } })
      await storage.update(alice, ida, { now: start + 500, content: notebook.draft({ content: 'Ida rows' }) })
      const [one, two] = await notebook.store(
        alice,
        { content: 'one', segments: [0, 1] },
        { content: 'two', segments: [1, 1], expiresAt: start + 600 },
      )
      await storage.forget(alice, { memoryIds: [one ?? ''] }, start + 550)
      expect(two).toBeDefined()
      await storage.purgeExpired(alice, start + 700)
      await storage.forget(alice, { all: true }, start + 800)
      await expectAllRoom(notebook)
    })

    it('is recounted after a period without a limit', async () => {
      const { notebook } = await limited()
      await notebook.storeOne(alice, { content: 'x'.repeat(100_000) })
      const open = new Notebook(await subject().reopen())
      await open.storeOne(alice, { content: 'x'.repeat(350_000) })
      const again = await limited()
      const content = 'x'.repeat(50_000)
      await expect(again.notebook.storeOne(alice, { content })).rejects.toMatchObject({ status: 413 })
      await again.storage.forget(alice, { all: true }, start)
      await expectAllRoom(again.notebook)
    })
  })
}
