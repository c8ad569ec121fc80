import { describe, expect, it } from 'vitest'
import { type Random, random } from '../random.js'
import { exponential, gammaWithSpread, zipf } from './distributions.js'
import { Heap } from './heap.js'
import { IndexCache } from './lru.js'
import { Processor } from './processor.js'
import { Simulation } from './simulation.js'
import { Station } from './station.js'

/** Mean time in an M/M/c queue by Erlang's formula. */
function erlangMeanMs(arrivalsPerMs: number, serviceMs: number, servers: number): number {
  const load = arrivalsPerMs * serviceMs
  let term = 1
  let sum = 1
  for (let k = 1; k < servers; k++) {
    term *= load / k
    sum += term
  }
  const last = ((term * load) / servers) * (servers / (servers - load))
  const waiting = last / (sum + last)
  return serviceMs + (waiting * serviceMs) / (servers - load)
}

/** Mean time of jobs that arrive at random and go through `serve`. */
function meanTimeMs(
  arrivalsPerMs: number,
  jobs: number,
  serve: (simulation: Simulation) => (next: Random, done: () => void) => void,
): number {
  const simulation = new Simulation()
  const next = random(5)
  const enter = serve(simulation)
  let total = 0
  let done = 0
  const arrive = (left: number): void => {
    const start = simulation.now
    enter(next, () => {
      total += simulation.now - start
      done += 1
    })
    if (left > 1) simulation.after(exponential(next, 1 / arrivalsPerMs), () => arrive(left - 1))
  }
  arrive(jobs)
  simulation.runUntil(1e12)
  expect(done).toBe(jobs)
  return total / done
}

const jobs = 200_000

describe('a station', () => {
  for (const [servers, load] of [
    [1, 0.5],
    [1, 0.8],
    [2, 0.7],
    [4, 0.85],
  ] as const) {
    it(`has the mean time of an M/M/${servers} queue at a load of ${load}`, () => {
      const arrivals = (load * servers) / 10
      const measured = meanTimeMs(arrivals, jobs, (simulation) => {
        const station = new Station(servers)
        return (next, done) => {
          const work = exponential(next, 10)
          station.enter((release) => {
            simulation.after(work, () => {
              release()
              done()
            })
          })
        }
      })
      const expected = erlangMeanMs(arrivals, 10, servers)
      expect(measured / expected).toBeGreaterThan(0.96)
      expect(measured / expected).toBeLessThan(1.04)
    })
  }

  it('has the mean time of an M/D/1 queue with constant work', () => {
    const measured = meanTimeMs(0.08, jobs, (simulation) => {
      const station = new Station(1)
      const processor = new Processor(simulation, 1)
      return (_next, done) => station.compute(processor, 10, 0, done)
    })
    // Pollaczek and Khinchine: the wait is load / (2 (1 - load)) services.
    expect(measured / (10 + (0.8 / (2 * 0.2)) * 10)).toBeCloseTo(1, 1)
  })

  it('serves in the order of arrival and wakes only when nobody was there', () => {
    const simulation = new Simulation()
    const [processor, station] = [new Processor(simulation, 4), new Station(1)]
    const ended: [string, number][] = []
    for (const name of ['a', 'b', 'c']) station.compute(processor, 10, 5, () => ended.push([name, simulation.now]))
    simulation.runUntil(100)
    expect(ended).toEqual([
      ['a', 15],
      ['b', 25],
      ['c', 35],
    ])
  })
})

describe('a station with urgent jobs', () => {
  it('serves them first, and the job that has waited longest at every fourth start', () => {
    const simulation = new Simulation()
    const [processor, station] = [new Processor(simulation, 1), new Station(1)]
    const ended: string[] = []
    const add = (name: string, isUrgent: boolean) => station.compute(processor, 1, 0, () => ended.push(name), isUrgent)
    add('running', false)
    for (const name of ['store 1', 'store 2']) add(name, false)
    for (const name of ['recall 1', 'recall 2', 'recall 3', 'recall 4', 'recall 5']) add(name, true)
    simulation.runUntil(100)
    const first = ['running', 'recall 1', 'recall 2', 'recall 3', 'store 1']
    expect(ended).toEqual([...first, 'recall 4', 'recall 5', 'store 2'])
  })
})

describe('a processor', () => {
  it('gives every job the same share, and no job more than one core', () => {
    const simulation = new Simulation()
    const processor = new Processor(simulation, 2)
    const ended: number[] = []
    // Alone at first, then four jobs on two cores.
    processor.run(20, () => ended.push(simulation.now))
    simulation.runUntil(10)
    for (let job = 0; job < 3; job++) processor.run(10, () => ended.push(simulation.now))
    simulation.runUntil(1000)
    expect(ended).toEqual([30, 30, 30, 30])
    expect(processor.busyMs).toBeCloseTo(50)
  })

  it('has the mean time of an M/M/1 queue with shared service, whatever the distribution of the work', () => {
    for (const spread of [0.5, 1, 2]) {
      const measured = meanTimeMs(0.07, jobs, (simulation) => {
        const processor = new Processor(simulation, 1)
        return (next, done) => processor.run(gammaWithSpread(next, 10, spread), done)
      })
      expect(measured / (10 / 0.3)).toBeGreaterThan(0.94)
      expect(measured / (10 / 0.3)).toBeLessThan(1.06)
    }
  })

  it('has the mean time of an M/M/c queue with several cores', () => {
    const measured = meanTimeMs(0.3, jobs, (simulation) => {
      const processor = new Processor(simulation, 4)
      return (next, done) => processor.run(exponential(next, 10), done)
    })
    expect(measured / erlangMeanMs(0.3, 10, 4)).toBeGreaterThan(0.96)
    expect(measured / erlangMeanMs(0.3, 10, 4)).toBeLessThan(1.04)
  })
})

describe('Zipf', () => {
  for (const [count, exponent] of [
    [50, 0.8],
    [50, 1],
    [1000, 1.3],
    [10, 0],
  ] as const) {
    it(`draws ${count} ranks with the exponent ${exponent} as often as it should`, () => {
      const draw = zipf(count, exponent)
      const next = random(3)
      const draws = 300_000
      const seen = new Float64Array(count)
      for (let each = 0; each < draws; each++) {
        const rank = draw(next)
        seen[rank] = (seen[rank] ?? 0) + 1
      }
      const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent)
      const sum = weights.reduce((total, weight) => total + weight, 0)
      // Chi squared over the ranks that are frequent enough; its mean is the number of ranks.
      let chi = 0
      let ranks = 0
      for (const [rank, weight] of weights.entries()) {
        const expected = (draws * weight) / sum
        if (expected < 20) continue
        chi += ((seen[rank] ?? 0) - expected) ** 2 / expected
        ranks += 1
      }
      expect(chi / ranks).toBeLessThan(1 + 5 * Math.sqrt(2 / ranks))
    })
  }

  it('stays within its ranks when there are a hundred million', () => {
    const draw = zipf(100_000_000, 0.9)
    const next = random(4)
    for (let each = 0; each < 10_000; each++) {
      const rank = draw(next)
      expect(Number.isInteger(rank) && rank >= 0 && rank < 100_000_000).toBe(true)
    }
  })

  it('refuses a number of ranks or an exponent that makes no sense', () => {
    expect(() => zipf(0, 1)).toThrow('at least 1')
    expect(() => zipf(1.5, 1)).toThrow('at least 1')
    expect(() => zipf(10, -1)).toThrow('negative')
    expect(() => zipf(10, Number.NaN)).toThrow('negative')
  })
})

describe('a random time', () => {
  it('has the mean and the spread that were asked for', () => {
    for (const spread of [0, 0.3, 1, 1.8]) {
      const next = random(9)
      const values = Array.from({ length: 100_000 }, () => gammaWithSpread(next, 7, spread))
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
      expect(mean).toBeCloseTo(7, 0)
      expect(Math.sqrt(variance) / mean).toBeCloseTo(spread, 1)
    }
  })
})

describe('the index cache', () => {
  it('drops the least recently used users when the bytes run out', () => {
    const cache = new IndexCache(100)
    expect([1, 2, 3].map((user) => cache.use(user, 40))).toEqual([false, false, false])
    expect(cache.use(1, 40)).toBe(false)
    expect(cache.use(3, 40)).toBe(true)
    expect(cache.use(1, 40)).toBe(true)
    expect([cache.users, cache.totalBytes]).toEqual([2, 80])
  })

  it('counts a user that has grown once, with its new size', () => {
    const cache = new IndexCache(100)
    cache.use(1, 40)
    cache.use(1, 60)
    expect(cache.totalBytes).toBe(60)
  })

  it('keeps the user that is being searched, even if it is larger than the limit', () => {
    const cache = new IndexCache(100)
    cache.use(1, 10)
    cache.use(2, 500)
    expect([cache.users, cache.totalBytes]).toEqual([1, 500])
    expect(cache.use(2, 500)).toBe(true)
  })

  it('has the hit ratio that follows from the sizes when all users are equally likely', () => {
    const cache = new IndexCache(300)
    const next = random(2)
    let hits = 0
    for (let each = 0; each < 100_000; each++) if (cache.use(Math.floor(next() * 1000), 1)) hits += 1
    expect(hits / 100_000).toBeCloseTo(0.3, 2)
  })
})

describe('the event queue', () => {
  it('runs events in the order of time, and of arrival at the same time', () => {
    const heap = new Heap<string>()
    for (const [key, name] of [
      [3, 'd'],
      [1, 'a'],
      [2, 'b'],
      [2, 'c'],
    ] as const)
      heap.push(key, name)
    expect(Array.from({ length: 5 }, () => heap.pop())).toEqual(['a', 'b', 'c', 'd', undefined])
  })

  it('sorts random keys', () => {
    const next = random(1)
    const heap = new Heap<number>()
    const keys = Array.from({ length: 2000 }, () => next())
    for (const key of keys) heap.push(key, key)
    expect(keys.map(() => heap.pop())).toEqual([...keys].sort((a, b) => a - b))
  })

  it('refuses an event in the past, and a time that is not a number', () => {
    const simulation = new Simulation()
    simulation.runUntil(10)
    expect(() => simulation.at(9, () => undefined)).toThrow('in the past')
    expect(() => simulation.after(Number.NaN, () => undefined)).toThrow('not a number')
  })
})
