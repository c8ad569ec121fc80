/** A judge that remembers how its last call ended and how many texts wait, for health and metrics. */
import type { Judge } from '../models.js'

export interface WatchedJudge extends Judge {
  lastCallFailed(): boolean
  /** Number of pairs and messages that wait or are being judged. */
  queueLength(): number
}

export function watchJudge(judge: Judge): WatchedJudge {
  let failed = false
  let waiting = 0
  const watched = async <T>(count: number, ask: () => Promise<T>): Promise<T> => {
    waiting += count
    try {
      const answer = await ask()
      failed = false
      return answer
    } catch (error) {
      failed = true
      throw error
    } finally {
      waiting -= count
    }
  }
  return {
    modelId: judge.modelId,
    ...(judge.loading && { loading: judge.loading }),
    judge: (pairs) => watched(pairs.length, () => judge.judge(pairs)),
    weigh: (turns) => watched(turns.length, () => judge.weigh(turns)),
    close: () => judge.close(),
    lastCallFailed: () => failed,
    queueLength: () => waiting,
  }
}
