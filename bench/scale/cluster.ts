/** The smallest cluster that carries a number of memories: found by simulation of its busiest hour. */
import { type Random, random } from '../random.js'
import type { Costs } from './costs.js'
import { totalMs } from './costs.js'
import { zipf } from './distributions.js'
import type { Assumptions } from './inputs.js'
import { IndexCache } from './lru.js'
import type { ClusterShape } from './service-model.js'
import { openStream, type Simulated } from './traffic-model.js'

const megabyte = 2 ** 20
const seed = 20261117
const coreChoices = [2, 4]
const indexChoicesMb = [512, 1024, 2048, 4096, 8192, 16_384]
/** Loading users again may take this share of the instances' processor time; more memory costs less. */
const loadShare = 0.1

export interface ClusterInputs {
  readonly costs: Costs
  readonly assumptions: Assumptions
  readonly spread: number
  readonly baseMegabytes: number
  readonly diskBytesPerMemory: number
  /** To simulate: enough for a 95th percentile. The busiest hour itself would take minutes. */
  readonly requests: number
}

export interface Cluster {
  readonly memories: number
  readonly users: number
  readonly perSecond: number
  readonly instances: number
  readonly coresPerInstance: number
  readonly indexMegabytes: number
  readonly instanceMegabytes: number
  readonly databaseNodes: number
  readonly databaseDiskGb: number
  readonly connectionsPerNode: number
  readonly simulated: Simulated
  readonly bottleneck: string
}

export interface Population {
  readonly users: number
  readonly pickUser: (next: Random) => number
  /** Users are numbered by rank: the first is the busiest. */
  memoriesOf(user: number): number
}

/** Users whose activity and whose number of memories fall with their rank. */
export function population(memories: number, assumptions: Assumptions): Population {
  const { memoriesPerUser, activityExponent, sizeExponent } = assumptions
  const users = Math.max(1, Math.round(memories / memoriesPerUser))
  // The mean of rank ^ -exponent over all users, as an integral from the middle of the first rank.
  const mean = ((users + 0.5) ** (1 - sizeExponent) - 0.5 ** (1 - sizeExponent)) / (1 - sizeExponent) / users
  const scale = memoriesPerUser / mean
  return {
    users,
    pickUser: zipf(users, activityExponent),
    memoriesOf: (user) => Math.max(1, Math.round(scale * (user + 1) ** -sizeExponent)),
  }
}

export function sizeCluster(memories: number, inputs: ClusterInputs): Cluster {
  const { assumptions } = inputs
  const people = population(memories, assumptions)
  const perDay = assumptions.recallsPerUserAndDay + assumptions.storesPerUserAndDay
  const perSecond = (people.users * perDay * assumptions.peakFactor) / 86_400
  const found = coreChoices.flatMap((cores) => {
    const cluster = withCores(memories, people, perSecond, cores, inputs)
    return cluster === undefined ? [] : [cluster]
  })
  const [first, ...others] = found
  if (first === undefined) throw new Error(`no cluster of up to ${maxInstances} instances carries ${memories} memories`)
  const coresOf = ({ instances, coresPerInstance }: Cluster) => instances * coresPerInstance
  return others.reduce((best, each) => (coresOf(each) < coresOf(best) ? each : best), first)
}

const maxInstances = 20_000

function withCores(
  memories: number,
  people: Population,
  perSecond: number,
  cores: number,
  inputs: ClusterInputs,
): Cluster | undefined {
  const { costs, assumptions } = inputs
  const { recallsPerUserAndDay: recalls, storesPerUserAndDay: stores } = assumptions
  const recallShare = recalls / (recalls + stores)
  const typical = assumptions.memoriesPerUser
  const demand = {
    recall: costs.of('recall', typical),
    store: costs.of('store', typical),
  }
  const serviceMs =
    recallShare * (totalMs(demand.recall) - demand.recall.databaseMs) +
    (1 - recallShare) * (totalMs(demand.store) - demand.store.databaseMs)
  const databaseMs = recallShare * demand.recall.databaseMs + (1 - recallShare) * demand.store.databaseMs
  // No cluster is smaller than its processor time; one instance may fail.
  let instances = Math.max(2, Math.ceil((perSecond * serviceMs) / 1000 / cores / assumptions.maxUtilization))
  const databaseGb = (memories * inputs.diskBytesPerMemory) / 1e9
  const nodesForDisk = Math.ceil(databaseGb / assumptions.databaseDiskGb)
  const busyCores = (perSecond * databaseMs) / 1000
  const nodesForCores = Math.ceil(busyCores / (assumptions.databaseCores * assumptions.maxUtilization))
  const databaseNodes = Math.max(1, nodesForDisk, nodesForCores)
  while (instances <= maxInstances) {
    const indexMegabytes = chooseIndex(people, instances, inputs, serviceMs)
    const connections = connectionsFor(instances, databaseNodes, cores, assumptions)
    const shape: ClusterShape = {
      instances,
      coresPerInstance: cores,
      indexBytesPerInstance: indexMegabytes * megabyte,
      databaseNodes,
      coresPerDatabaseNode: assumptions.databaseCores,
      connectionsPerInstance: connections,
      sharesOneMachine: false,
      routing: 'by user',
      roundTripMs: assumptions.roundTripMs,
      roundTripsPerRequest: assumptions.roundTripsPerRequest,
      diskReadMs: assumptions.diskReadMs,
      diskShare: Math.max(0, 1 - assumptions.databaseMemoryGb / (databaseGb / databaseNodes)),
    }
    const workload = { memoriesOf: people.memoriesOf, spread: inputs.spread }
    const simulated = openStream(
      { shape, costs, workload },
      {
        seed,
        perSecond,
        seconds: inputs.requests / perSecond,
        recallShare,
        pickUser: people.pickUser,
        warmUpRequests: warmUpRequests(people.users),
      },
    )
    if (carries(simulated, assumptions)) {
      const indexUsed = simulated.indexBytes / megabyte
      return {
        ...{ memories, users: people.users, perSecond, instances, coresPerInstance: cores, indexMegabytes },
        instanceMegabytes: inputs.baseMegabytes + indexUsed,
        databaseNodes,
        databaseDiskGb: databaseGb,
        connectionsPerNode: (instances * connections) / databaseNodes,
        simulated,
        bottleneck: bottleneckOf(simulated, nodesForDisk, nodesForCores),
      }
    }
    instances = Math.ceil(instances * 1.1)
    // More cores do not help a thread that is always busy: this choice of cores loses anyway.
    if (instances * cores > 64 * Math.ceil((perSecond * serviceMs) / 1000)) return undefined
  }
  return undefined
}

function carries(simulated: Simulated, { maxRecallP95Ms, maxUtilization }: Assumptions): boolean {
  return (
    simulated.recall.p95 <= maxRecallP95Ms &&
    simulated.instanceUtilization <= maxUtilization &&
    simulated.databaseUtilization <= maxUtilization
  )
}

/** Twice the processors per instance, as the service chooses, unless the database would have too many. */
function connectionsFor(instances: number, nodes: number, cores: number, assumptions: Assumptions): number {
  const usual = Math.min(16, Math.max(4, 2 * cores))
  return Math.max(1, Math.min(usual, Math.floor((assumptions.databaseMaxConnections * nodes) / instances)))
}

/** The smallest index memory with which loading users again stays cheap, from the cache alone. */
function chooseIndex(people: Population, instances: number, inputs: ClusterInputs, serviceMs: number): number {
  for (const choice of indexChoicesMb) {
    const cost = loadMsPerRequest(people, instances, choice, inputs)
    if (cost <= loadShare * serviceMs) return choice
  }
  return indexChoicesMb.at(-1) ?? 0
}

function loadMsPerRequest(people: Population, instances: number, choiceMb: number, inputs: ClusterInputs): number {
  // One instance stands for all: it has every n-th user, of every rank.
  const cache = new IndexCache(choiceMb * megabyte)
  const next = seededFor(instances)
  const requests = Math.ceil(warmUpRequests(people.users) / instances)
  let spent = 0
  let counted = 0
  for (let each = 0; each < 2 * requests; each++) {
    const rank = people.pickUser(next)
    const user = rank - (rank % instances)
    const memories = people.memoriesOf(user)
    const isThere = cache.use(user, memories * inputs.costs.indexBytesPerMemory)
    if (each < requests) continue
    counted += 1
    if (!isThere) spent += totalMs(inputs.costs.load(memories))
  }
  return spent / counted
}

function seededFor(instances: number): Random {
  return random(seed + instances)
}

/** Enough for every usual user to have come: an hour or more. */
function warmUpRequests(users: number): number {
  return Math.min(600_000, 4 * users)
}

function bottleneckOf(simulated: Simulated, nodesForDisk: number, nodesForCores: number): string {
  const { busiestThread, instanceUtilization, databaseUtilization } = simulated
  const database = nodesForDisk > nodesForCores ? 'the disks of PostgreSQL' : 'the processors of PostgreSQL'
  if (databaseUtilization > Math.max(instanceUtilization, busiestThread)) return database
  return busiestThread > instanceUtilization ? 'one thread per instance' : 'the processors of the instances'
}
