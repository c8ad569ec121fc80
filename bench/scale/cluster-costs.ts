/** The costs of a cluster: as calibrated, with the reading of the best memories of each recall by default. */
import { type Costs, costsOf, type Demand } from './costs.js'
import type { Inputs } from './inputs.js'
import { agingOf, scanCost } from './predict.js'

export function clusterCosts(inputs: Inputs, reading: boolean): Costs {
  const quiet = quietFactor(inputs)
  const factors = { machine: quiet, of: () => quiet }
  const costs = costsOf(inputs.calibrated, 'postgres', { scanMsPerMemory: scanCost(inputs), factors })
  if (!reading) return costs
  const half = (quiet * readingMs(inputs)) / 2
  // The reranker has two threads; both work on the same pairs.
  const add = (demand: Demand): Demand => ({
    ...demand,
    threadsMs: [...demand.threadsMs, half, half],
    wakeThreadsMs: [...demand.wakeThreadsMs, 0, 0],
  })
  return {
    ...costs,
    threads: costs.threads + 2,
    of: (verb, memoriesPerUser) => {
      const demand = costs.of(verb, memoriesPerUser)
      return verb === 'recall' ? add(demand) : demand
    },
  }
}

/** What reading adds to a recall. Its threads wait for each other, which costs more on a busy machine: the least counts. */
function readingMs({ calibrated }: Inputs): number {
  const { with: on, without: off } = calibrated.reading
  const [alone, loaded] = [on.alone.serviceMs - off.alone.serviceMs, on.loaded.serviceMs - off.loaded.serviceMs]
  return Math.max(0, Math.min(alone, loaded))
}

/**
 * On a busy machine every request takes more processor time. The recall, which has not changed since it was measured on
 * a quiet machine, shows how much.
 */
export function quietFactor(inputs: Inputs): number {
  const { loadAverage, cores } = inputs.calibrated
  return loadAverage > cores / 2 ? Math.min(1, agingOf(inputs).recall) : 1
}

/** On PostgreSQL, from the two largest stores: what an empty database takes cancels out. */
export function diskBytesPerMemory({ calibrated }: Inputs): number {
  const sizes = calibrated.sizes
    .filter(({ engine }) => engine === 'postgres')
    .map(({ users, memoriesPerUser, diskBytes }) => ({ memories: users * memoriesPerUser, diskBytes }))
    .sort((a, b) => b.memories - a.memories)
  const [large, small] = sizes
  if (large === undefined || small === undefined) throw new Error('inputs.json needs two sizes for postgres')
  return (large.diskBytes - small.diskBytes) / (large.memories - small.memories)
}
