/** The reference for filters: what each condition means, without an engine. */
import { nameKey } from '../../core/entity.js'
import type { EventTime } from '../../core/event-time.js'
import type { Comparison, Filter, Scalar, Test } from '../../core/filter.js'
import type { Json, Memory } from '../../core/memory.js'

export interface FilteredMemory extends Pick<Memory, 'metadata' | 'project' | 'source' | 'createdAt' | 'trustScore'> {
  /** Ids, names and aliases of the entities that it mentions. */
  readonly entityNames: readonly string[]
  readonly event: EventTime | null
}

export function holds(filter: Filter, memory: FilteredMemory): boolean {
  switch (filter.field) {
    case 'and':
      return filter.parts.every((part) => holds(part, memory))
    case 'or':
      return filter.parts.some((part) => holds(part, memory))
    case 'not':
      return !holds(filter.part, memory)
    case 'metadata': {
      const found = valueAt(memory.metadata, filter.path)
      if (found === undefined) return false
      const { test } = filter
      return test.op === 'exists' || (Array.isArray(found) ? found : [found]).some((value) => passes(test, value))
    }
    case 'project':
      return passes(filter.test, memory.project)
    case 'source':
      return passes(filter.test, memory.source)
    case 'entity': {
      const own = memory.entityNames.flatMap((name) => [name, nameKey(name)])
      if (filter.test.op === 'exists') return own.length > 0
      return filter.test.values.some((name) => own.includes(name) || own.includes(nameKey(name)))
    }
    case 'eventTime': {
      if (filter.test.op === 'exists') return memory.event !== null
      const { from, to } = memory.event ?? { from: memory.createdAt, to: memory.createdAt + 1 }
      return [from, to - 1].some((moment) => filter.test.op !== 'exists' && passes(filter.test, moment))
    }
    default:
      return passes(filter.test, memory[filter.field])
  }
}

function valueAt(value: Json, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined
  // A list is excluded above.
  return valueAt((value as { readonly [key: string]: Json })[key] ?? null, rest)
}

function passes(test: Test<Scalar, string | number>, value: Json): boolean {
  if (test.op === 'in') return test.values.some((wanted) => wanted === value)
  if (typeof value === 'number' && typeof test.value === 'number') return ordered(test.op, value - test.value)
  if (typeof value === 'string' && typeof test.value === 'string') {
    return ordered(test.op, Buffer.compare(Buffer.from(value), Buffer.from(test.value)))
  }
  return false
}

function ordered(op: Comparison, difference: number): boolean {
  return { gt: difference > 0, gte: difference >= 0, lt: difference < 0, lte: difference <= 0 }[op]
}
