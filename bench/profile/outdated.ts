/** Facts that changed: after the store replaced the old memory, a profile must show the new value and not the old one. */
import { pick, type Random } from '../random.js'
import type { MeasuredService } from './service.js'

export interface Checks {
  /** Pairs whose old memory was replaced. */
  replaced: number
  /** The old value is still shown. */
  outdatedShown: number
  newShown: number
  /** Pairs that the store kept side by side: not part of the checks. */
  keptBoth: number
}

type Change = (next: Random) => readonly [before: string, after: string, oldValue: string, newValue: string]

const cities = [
  'Rome',
  'Oslo',
  'Lyon',
  'Porto',
  'Ghent',
  'Leeds',
  'Turin',
  'Graz',
  'Bergen',
  'Krakow',
  'Denver',
  'Austin',
]
const firms = ['Acme', 'Globex', 'Initech', 'Siemens', 'Umbrella', 'Hooli', 'Vandelay', 'Stark', 'Wayne', 'Tyrell']
const names = ['Anna', 'John', 'Clara', 'Peter', 'Maria', 'Tom', 'Laura', 'David']
const colours = ['blue', 'green', 'red', 'yellow', 'purple', 'orange', 'teal', 'black']
const foods = ['pizza', 'sushi', 'ramen', 'tacos', 'curry', 'lasagna']

function two(next: Random, from: readonly string[]): readonly [string, string] {
  const first = pick(next, from)
  return [
    first,
    pick(
      next,
      from.filter((each) => each !== first),
    ),
  ]
}

function change(from: readonly string[], before: (value: string) => string, after: (value: string) => string): Change {
  return (next) => {
    const [old, fresh] = two(next, from)
    return [before(old), after(fresh), old, fresh]
  }
}

const changes: readonly Change[] = [
  change(
    cities,
    (city) => `I live in ${city}.`,
    (city) => `I live in ${city} now.`,
  ),
  change(
    cities,
    (city) => `I live in ${city} with my family.`,
    (city) => `We moved, I live in ${city} now.`,
  ),
  change(
    firms,
    (firm) => `I work at ${firm}.`,
    (firm) => `I work at ${firm} now.`,
  ),
  change(
    firms,
    (firm) => `I work for ${firm} as an engineer.`,
    (firm) => `I now work for ${firm} as an engineer.`,
  ),
  change(
    colours,
    (colour) => `My favourite colour is ${colour}.`,
    (colour) => `My favourite colour is ${colour} now.`,
  ),
  change(
    foods,
    (food) => `My favorite food is ${food}.`,
    (food) => `My favorite food is ${food}.`,
  ),
  (next) => {
    const [person, [old, fresh]] = [pick(next, names), two(next, firms)]
    return [`${person} works at ${old}.`, `${person} works at ${fresh} now.`, old, fresh]
  },
  (next) => {
    const [person, [old, fresh]] = [pick(next, names), two(next, cities)]
    return [`My sister ${person} lives in ${old}.`, `My sister ${person} lives in ${fresh} now.`, old, fresh]
  },
  change(
    names,
    (name) => `My boss is called ${name}.`,
    (name) => `My boss is called ${name} now.`,
  ),
  change(
    names,
    (name) => `My dentist is Dr. ${name}.`,
    (name) => `My dentist is now Dr. ${name}.`,
  ),
]

export async function checkOutdated(service: MeasuredService, next: Random, wanted: number): Promise<Checks> {
  const result: Checks = { replaced: 0, outdatedShown: 0, newShown: 0, keptBoth: 0 }
  for (let number = 0; result.replaced < wanted && number < 4 * wanted; number += 1) {
    const made = changes[number % changes.length]
    if (!made) continue
    const [before, after, oldValue, newValue] = made(next)
    const user_id = `changed ${number}`
    const old = await service.store({ user_id, content: before, created_at: '2025-03-01T10:00:00Z' })
    const fresh = await service.store({ user_id, content: after, created_at: '2025-06-01T10:00:00Z' })
    const ids = new Set(old.memories.map(({ id }) => id))
    if (!fresh.memories.some(({ supersedes = [] }) => supersedes.some((id) => ids.has(id)))) {
      result.keptBoth += 1
      continue
    }
    const { text } = await service.profile(user_id)
    result.replaced += 1
    if (text.includes(oldValue)) result.outdatedShown += 1
    if (text.includes(newValue)) result.newShown += 1
  }
  return result
}
