/** One holder per key at a time, first come, first served. Keys without a holder cost nothing. */
export interface KeyedMutex {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function keyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve()
      const mine = before.then(work, work)
      tails.set(key, mine)
      try {
        return await mine
      } finally {
        if (tails.get(key) === mine) tails.delete(key)
      }
    },
  }
}
