/** A judge for tests about something else: every pair is unrelated, and every message is worth keeping. */
import type { Judge } from '../models.js'

export const quietJudge: Judge = {
  modelId: 'quiet',
  judge: async (pairs) =>
    pairs.map(() => ({ chances: { same: 0, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 1 }, words: [] })),
  weigh: async (turns) => turns.map(() => ({ worth: 1, changes: 0 })),
  close: async () => undefined,
}
