import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.js'

const long = 60_000

export function describeClaims(subject: () => Subject): void {
  describe('claims', () => {
    it('have one holder at a time, who can extend and release them', async () => {
      const { storage } = subject()
      expect(await storage.claim('work', 'one', long)).toBe(true)
      expect(await storage.claim('work', 'two', long)).toBe(false)
      expect(await storage.claim('work', 'one', long)).toBe(true)
      expect(await storage.claim('other work', 'two', long)).toBe(true)
      // Only the holder can release it.
      await storage.release('work', 'two')
      expect(await storage.claim('work', 'two', long)).toBe(false)
      await storage.release('work', 'one')
      expect(await storage.claim('work', 'two', long)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(false)
      await storage.release('nothing', 'one')
    })

    it('are free when their lease ends, even if the holder has not released them', async () => {
      const { storage } = subject()
      expect(await storage.claim('work', 'one', 0)).toBe(true)
      expect(await storage.claim('work', 'two', long)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(false)
      // Extending with a shorter lease ends it sooner.
      expect(await storage.claim('work', 'two', 0)).toBe(true)
      expect(await storage.claim('work', 'one', long)).toBe(true)
    })

    it('go to exactly one of many concurrent callers', async () => {
      const { storage } = subject()
      const asked = Array.from({ length: 8 }, (_, index) => storage.claim('work', `holder ${index}`, long))
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
    })
  })
}
