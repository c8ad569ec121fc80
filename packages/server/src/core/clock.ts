/** Time is a dependency: tests move it, the service reads it. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const msPerHour = 3_600_000
export const msPerDay = 86_400_000

export function isoTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}
