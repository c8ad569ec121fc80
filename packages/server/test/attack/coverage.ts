/**
 * Which operations have been answered as they should through which door, and errands for those that have not: a few requests of one user,
 * of which the last needs what the others make. Random requests alone may never delete a membership that exists.
 */
import type { Operation } from '../support/openapi-check.js'
import { accessOf, nameOf } from '../support/samples.js'
import type { Door } from './door.js'
import type { Random } from './random.js'

export interface Step {
  readonly operation: Operation
  readonly door: Door
}

export interface Coverage {
  saw(step: Step, status: number): void
  /** The steps to an operation that is missing, or none if all were seen. */
  errand(random: Random): readonly Step[]
  /** Throws if an operation is missing. */
  requireAll(): void
}

/** The operations that make what an operation needs, in this order. Without an entry, earlier random requests have made it. */
const makers: Readonly<Record<string, readonly string[]>> = {
  getWebhook: ['createWebhook'],
  deleteWebhook: ['createWebhook'],
  listDeadLetters: ['createWebhook'],
  redeliverEvents: ['createWebhook'],
  getSpace: ['createSpace'],
  renameSpace: ['createSpace'],
  deleteSpace: ['createSpace'],
  listMembers: ['createSpace'],
  setMember: ['createSpace'],
  removeMember: ['createSpace', 'setMember'],
  getItem: ['putItem'],
  listItemVersions: ['putItem'],
  deleteItem: ['putItem'],
  getContradiction: ['listContradictions'],
  acceptContradiction: ['listContradictions'],
  revertContradiction: ['listContradictions', 'acceptContradiction'],
  revertMerge: ['storeMemories', 'listEntities', 'mergeEntity'],
  mergeEntity: ['storeMemories', 'listEntities'],
  // The first is sent through OAuth, which makes a grant.
  revokeGrant: ['listMemories', 'listGrants'],
}

export function coverage(operations: readonly Operation[], doors: readonly Door[]): Coverage {
  const [firstDoor] = doors
  const keyOf = ({ operation, door }: Step) => `${nameOf(operation)} ${door.name}`
  const missing = new Map<string, Step & { readonly got: Set<number> }>()
  for (const door of doors) {
    for (const operation of operations.filter((each) => door.offers(each))) {
      missing.set(keyOf({ operation, door }), { operation, door, got: new Set() })
    }
  }
  /** An API key never opens what needs the master key. */
  const wanted = (operation: Operation) => (['master', 'metrics'].includes(accessOf(operation)) ? 401 : 200)

  function makerOf(operationId: string): Step {
    const operation = operations.find(({ description }) => description.operationId === operationId)
    const door = operationId === 'listMemories' ? doors.find(({ name }) => name === 'OAuth') : firstDoor
    if (!operation || !door) throw new Error(`attack/coverage.ts: nothing offers ${operationId}`)
    return { operation, door }
  }

  return {
    saw(step, status) {
      const key = keyOf(step)
      missing.get(key)?.got.add(status)
      if (status === wanted(step.operation)) missing.delete(key)
    },
    errand(random) {
      if (missing.size === 0) return []
      const { operation, door } = random.pick([...missing.values()])
      const first = makers[String(operation.description.operationId)] ?? []
      return [...first.map(makerOf), { operation, door }]
    },
    requireAll() {
      if (missing.size === 0) return
      const list = [...missing].map(([key, { got }]) => `${key} only got ${[...got].join() || 'no request'}`)
      throw new Error(`operations that never succeeded:\n${list.join('\n')}`)
    },
  }
}
