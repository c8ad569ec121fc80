import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { random } from '../random.js'
import { population, sizeCluster } from './cluster.js'
import { type Costs, costsOf, type Demand, interpolate } from './costs.js'
import { readInputs } from './inputs.js'
import { errorOf, leastSquares, predictFirst, predictRow } from './predict.js'
import { type ClusterShape, placeOf, ServiceModel } from './service-model.js'
import { Simulation } from './simulation.js'
import { closedLoop, firstRecalls, openStream } from './traffic-model.js'

const demand: Demand = {
  mainMs: 2,
  threadsMs: [4, 1],
  databaseMs: 3,
  wakeMainMs: 0,
  wakeThreadsMs: [0, 0],
  wakeDatabaseMs: 0,
}

const costs: Costs = {
  engine: 'postgres',
  threads: 2,
  embedder: 0,
  clientMs: 0,
  diskSyncMs: 0,
  indexBytesPerMemory: 400,
  of: () => demand,
  load: (memories) => ({ ...demand, mainMs: 0, threadsMs: [0, memories / 100], databaseMs: 0 }),
}

const shape: ClusterShape = {
  instances: 1,
  coresPerInstance: 2,
  indexBytesPerInstance: 1e9,
  databaseNodes: 1,
  coresPerDatabaseNode: 2,
  connectionsPerInstance: 8,
  sharesOneMachine: true,
  routing: 'in turn',
  roundTripMs: 0,
  roundTripsPerRequest: 0,
  diskReadMs: 0,
  diskShare: 0,
}

const workload = { memoriesOf: () => 1000, spread: 0.5 }
const loop = { seed: 1, connections: 30, seconds: 30, recallShare: 0.8, users: 100 }

describe('the closed loop', () => {
  it('uses all cores, and obeys the laws of throughput and of Little', () => {
    const found = closedLoop({ shape, costs, workload }, loop)
    expect(found.cpuMs).toBeCloseTo(10, 0)
    // Two cores at 10 ms per request.
    expect(found.requestsPerSecond / 200).toBeCloseTo(1, 1)
    expect(found.instanceUtilization).toBeGreaterThan(0.97)
    expect(found.recall.p50).toBeGreaterThan(100)
    expect(found.recall.p50).toBeLessThan(180)
  })

  it('is bound by its busiest thread when there are cores enough', () => {
    const found = closedLoop({ shape: { ...shape, coresPerInstance: 16 }, costs, workload }, loop)
    expect(found.requestsPerSecond).toBeGreaterThan(235)
    expect(found.requestsPerSecond).toBeLessThan(255)
    expect(found.busiestThread).toBeGreaterThan(0.95)
  })

  it('is the same for the same seed, and another one for another seed', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => closedLoop({ shape, costs, workload }, { ...loop, seed }))
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('the index cache of an instance', () => {
  const missesWith = (changed: Partial<ClusterShape>, users: readonly number[]) => {
    const simulation = new Simulation()
    const model = new ServiceModel(simulation, random(1), { ...shape, ...changed }, costs, workload)
    for (const user of users) {
      model.request('recall', user, () => undefined)
      simulation.runUntil(simulation.now + 1000)
    }
    return model.misses
  }
  const thrice = Array.from({ length: 90 }, (_, index) => index % 30)

  it('loads every user once if requests go to the instance of their user', () => {
    expect(missesWith({ instances: 4, routing: 'by user' }, thrice)).toBe(30)
  })

  it('loads users on every instance if requests go to the instances in turn', () => {
    // Thirty users in turn meet two of the four instances.
    expect(missesWith({ instances: 4, routing: 'in turn' }, thrice)).toBe(60)
  })

  it('loads a user again that had to leave', () => {
    expect(missesWith({ indexBytesPerInstance: 20 * 400_000 }, thrice)).toBe(90)
    expect(missesWith({ indexBytesPerInstance: 30 * 400_000 }, thrice)).toBe(30)
  })

  it('loads a user once for requests that come at the same time', () => {
    const simulation = new Simulation()
    const model = new ServiceModel(simulation, random(1), shape, costs, workload)
    let answered = 0
    for (let request = 0; request < 5; request++) model.request('recall', 7, () => (answered += 1))
    simulation.runUntil(10_000)
    expect(answered).toBe(5)
    // 1,000 memories take 10 ms, give or take the spread.
    expect(model.spent.load).toBeGreaterThan(1)
    expect(model.spent.load).toBeLessThan(40)
    expect(simulation.now).toBe(10_000)
  })
})

describe('first recalls', () => {
  it('take longer with more memories and with more users at once', () => {
    const at = (memories: number, connections: number) =>
      firstRecalls(
        { shape, costs, workload: { memoriesOf: () => memories, spread: 0 } },
        { seed: 1, connections, users: 200 },
      ).p50
    expect(at(1000, 1)).toBeCloseTo(20, 0)
    expect(at(10_000, 1)).toBeCloseTo(110, 0)
    // One thread loads, 10 ms each.
    expect(at(1000, 50)).toBeGreaterThan(450)
  })
})

describe('a stream of requests', () => {
  it('waits longer near the capacity, and never answers more than it can', () => {
    const at = (perSecond: number) =>
      openStream(
        { shape: { ...shape, sharesOneMachine: false }, costs, workload },
        { seed: 3, perSecond, seconds: 60, recallShare: 0.8, pickUser: () => 1, warmUpRequests: 1 },
      )
    const [idle, busy] = [at(20), at(220)]
    expect(idle.requestsPerSecond).toBeCloseTo(20, -1)
    expect(busy.recall.p95).toBeGreaterThan(2 * idle.recall.p95)
    expect(at(400).requestsPerSecond).toBeLessThan(255)
  })
})

describe('costs between measured sizes', () => {
  const sizes = [
    { memoriesPerUser: 10, ms: 1 },
    { memoriesPerUser: 1000, ms: 5 },
    { memoriesPerUser: 10_000, ms: 6 },
  ]
  it('follow a line over the logarithm, also beyond the last size', () => {
    const at = (memories: number) => interpolate(sizes, memories, ({ ms }) => ms)
    expect([10, 100, 1000, 10_000].map(at)).toEqual([1, 3, 5, 6])
    expect(at(1)).toBeCloseTo(-1)
    expect(at(100_000)).toBeCloseTo(7)
  })

  it('need two sizes', () => {
    const none = { sizes: [] } as unknown as Parameters<typeof costsOf>[0] // nothing else of it is read
    expect(() => costsOf(none, 'sqlite', { scanMsPerMemory: 0 })).toThrow('two sizes for sqlite')
  })

  it('fit a line by least squares', () => {
    const { slope, intercept } = leastSquares([
      { x: 0, y: 1 },
      { x: 1, y: 3 },
      { x: 2, y: 5 },
    ])
    expect([slope, intercept]).toEqual([2, 1])
  })
})

describe('predictions', () => {
  it('do not see what they have to predict', async () => {
    const inputs = await readInputs()
    const { published } = inputs
    const [row] = published.heldOut
    if (row === undefined) throw new Error('nothing is held out')
    const blind = { ...row, requestsPerSecond: 1, recallMs: { p50: 1, p95: 1 }, cpuMs: 1, serviceMegabytes: 1 }
    const changed = {
      ...inputs,
      published: { ...published, heldOut: [blind], heldOutFirst: { ...published.heldOutFirst, p50Ms: 1 } },
    }
    const predicted = (all: readonly { readonly predicted: number }[]) => all.map((each) => each.predicted)
    expect(predicted(predictRow(changed, blind, 0.5, 2))).toEqual(predicted(predictRow(inputs, row, 0.5, 2)))
    expect(predictFirst(changed, 0.5).predicted).toBe(predictFirst(inputs, 0.5).predicted)
  })

  it('are fed nothing as large as what is held out', async () => {
    const { published, calibrated } = await readInputs()
    const smallest = Math.min(...published.heldOut.map(({ memories }) => memories))
    for (const { memories } of published.fed) expect(memories).toBeLessThan(smallest)
    for (const { users, memoriesPerUser } of calibrated.sizes) expect(users * memoriesPerUser).toBeLessThan(smallest)
  })

  it('have an error in percent of the measured figure', () => {
    expect(errorOf({ what: '', unit: '', predicted: 120, measured: 100 })).toBeCloseTo(20)
    expect(errorOf({ what: '', unit: '', predicted: 50, measured: 100 })).toBeCloseTo(-50)
  })
})

describe('a cluster', () => {
  it('has users whose memories add up', async () => {
    const { assumptions } = await readInputs()
    const people = population(10_000_000, assumptions)
    let sum = 0
    for (let user = 0; user < people.users; user++) sum += people.memoriesOf(user)
    expect(people.users).toBe(10_000)
    expect(sum / 10_000_000).toBeCloseTo(1, 1)
    expect(people.memoriesOf(0)).toBeGreaterThan(people.memoriesOf(9_999))
  })

  it('grows with the memories and meets its limits', async () => {
    const { assumptions } = await readInputs()
    const given = { costs, assumptions, spread: 0.5, baseMegabytes: 500, diskBytesPerMemory: 250_000, requests: 500 }
    const [small, large] = [2_000_000, 20_000_000].map((memories) => sizeCluster(memories, given))
    if (small === undefined || large === undefined) throw new Error('no cluster')
    expect(small.instances).toBeGreaterThanOrEqual(2)
    expect(large.instances).toBeGreaterThanOrEqual(small.instances)
    expect([small.databaseNodes, large.databaseNodes]).toEqual([1, 5])
    for (const { simulated } of [small, large]) {
      expect(simulated.recall.p95).toBeLessThanOrEqual(assumptions.maxRecallP95Ms)
      expect(simulated.instanceUtilization).toBeLessThanOrEqual(assumptions.maxUtilization)
    }
  })

  it('spreads users evenly over its nodes', () => {
    const counts = new Array<number>(7).fill(0)
    for (let user = 0; user < 70_000; user++) counts[placeOf(user, 7)] = (counts[placeOf(user, 7)] ?? 0) + 1
    for (const count of counts) expect(count / 10_000).toBeCloseTo(1, 1)
  })
})

describe('inputs.json', () => {
  it('is refused with a clear message if a figure or a part is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-scale-'))
    try {
      const file = join(folder, 'inputs.json')
      await writeFile(file, '{"published":{"fed":[{"cpuMs":null}]}}')
      await expect(readInputs(file)).rejects.toThrow('inputs.published.fed.0.cpuMs is not a measured figure')
      await writeFile(file, '{"published":{},"speed":{},"assumptions":{}}')
      await expect(readInputs(file)).rejects.toThrow('has no "calibrated"')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('names a source for every figure', async () => {
    const { published, speed, calibrated, assumptions } = await readInputs()
    for (const { source } of [published, speed]) {
      for (const part of [source.figures, source.command, source.date, source.machine]) expect(part).not.toBe('')
    }
    expect(calibrated.command).toContain('npm run bench:scale -- calibrate')
    expect(calibrated.machine).not.toBe('')
    expect(assumptions.source).not.toBe('')
  })
})
