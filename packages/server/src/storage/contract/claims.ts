import { describe, expect, it } from 'vitest'
import type { Subject } from './storage.contract.js'

const long = 60_000

export function describeClaims(subject: () => Subject): void {
  describe('claims', () => {
    it('have one holder at a time, who may prolong, until it gives them back', async () => {
      const { storage } = subject()
      expect(await storage.claim('work', 'one', long)).toBe(true)
      expect(await storage.claim('work', 'two', long)).toBe(false)
      expect(await storage.claim('work', 'one', long)).toBe(true)
      expect(await storage.claim('other work', 'two', long)).toBe(true)
      // Not the holder's to give back.
      await storage.release('work', 'two')
      expect(await storage.claim('work', 'two', long)).toBe(false)
      await storage.release('work', 'one')
      expect(await storage.claim('work', 'two', long)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(false)
      await storage.release('nothing', 'one')
    })

    it('are free when their time is over, also for a holder who has not given them back', async () => {
      const { storage } = subject()
      expect(await storage.claim('work', 'one', 0)).toBe(true)
      expect(await storage.claim('work', 'two', long)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(false)
      // Prolonged for less, they end sooner.
      expect(await storage.claim('work', 'two', 0)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(true)
    })

    it('go to one of many who ask at the same moment', async () => {
      const { storage } = subject()
      const asked = Array.from({ length: 8 }, (_, index) => storage.claim('work', `holder ${index}`, long))
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
    })
  })
}
