export interface Scenario {
  /** As written in the option: `10k`, or `1000x100`. */
  readonly name: string
  readonly title: string
  readonly users: number
  readonly memoriesPerUser: number
}

/** `10k`: one user with 10,000 memories. `1000x100`: 1,000 users with 100 each. */
export function parseScenario(name: string): Scenario {
  const match = /^(?:([1-9]\d{0,5})(k?)x)?([1-9]\d{0,5})(k?)$/.exec(name)
  if (!match) throw new Error(`"${name}" is not a valid size; use for example 10k, or 1000x100 for users x memories`)
  const [, users, usersK, memories, memoriesK] = match
  const scenario = {
    name,
    users: users === undefined ? 1 : count(users, usersK),
    memoriesPerUser: count(memories, memoriesK),
  }
  const each = scenario.memoriesPerUser.toLocaleString('en-US')
  return { ...scenario, title: scenario.users === 1 ? each : `${scenario.users.toLocaleString('en-US')} × ${each}` }
}

export function userId(scenario: Scenario, user: number): string {
  return `bench-${scenario.name}-${user}`
}

/** The sentence number of a user's n-th memory. */
export function sentenceNumber(scenario: Scenario, user: number, memory: number): number {
  return user * scenario.memoriesPerUser + memory
}

/** Sentences from this number on are in no seeded store. */
export function firstUnusedNumber(scenario: Scenario): number {
  return scenario.users * scenario.memoriesPerUser
}

function count(digits: string | undefined, thousands: string | undefined): number {
  return Number(digits) * (thousands === 'k' ? 1000 : 1)
}
