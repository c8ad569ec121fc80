import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { FairLane, type FairLaneOptions, type Place } from './fair-lane.js'

const bounds = { turnsAtOnce: 1, turnsPerUser: 1, charactersPerUser: 200, charactersInAll: 1_000 }

function laneWith(options: Partial<FairLaneOptions> = {}) {
  const lane = new FairLane({ ...bounds, ...options })
  const order: string[] = []
  const gates: (() => void)[] = []
  /** A turn that lasts until `finishOne`. */
  const turn = (place: Place, name: string, characters: number) =>
    place.turn(characters, async () => {
      order.push(name)
      await new Promise<void>((resolve) => gates.push(resolve))
    })
  const finishOne = async () => {
    await nextTick()
    gates.shift()?.()
    await nextTick()
  }
  return { lane, order, turn, finishOne }
}

function refusal(work: () => unknown): ServiceError {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('turns', () => {
  it('serve a newcomer before the other texts of a user who came first', async () => {
    const { lane, order, turn, finishOne } = laneWith()
    const turns = ['first', 'second', 'third'].map((name) => turn(lane.enter('mallory', 50), name, 50))
    turns.push(turn(lane.enter('ana', 50), 'ana', 50))
    for (let round = 0; round < 4; round += 1) await finishOne()
    await Promise.all(turns)
    expect(order).toEqual(['first', 'ana', 'second', 'third'])
  })

  it('are given by characters, not by number', async () => {
    const { lane, order, turn, finishOne } = laneWith({ charactersPerUser: 1_000 })
    const large = lane.enter('mallory', 200)
    const small = lane.enter('ana', 100)
    const turns = [turn(large, 'L1', 100), turn(large, 'L2', 100)]
    for (let number = 1; number <= 4; number += 1) turns.push(turn(small, `s${number}`, 25))
    for (let round = 0; round < 6; round += 1) await finishOne()
    await Promise.all(turns)
    expect(order).toEqual(['L1', 's1', 's2', 's3', 's4', 'L2'])
  })

  it('give no credit to a user who was idle', async () => {
    const { lane, order, turn, finishOne } = laneWith({ charactersPerUser: 1_000 })
    const [early, late] = [lane.enter('early', 100), lane.enter('late', 100)]
    for (let number = 0; number < 3; number += 1) {
      const alone = turn(early, 'early', 50)
      await finishOne()
      await alone
    }
    order.length = 0
    const turns = [turn(late, 'late 1', 50), turn(late, 'late 2', 50), turn(early, 'early', 50)]
    for (let round = 0; round < 3; round += 1) await finishOne()
    await Promise.all(turns)
    expect(order).toEqual(['late 1', 'early', 'late 2'])
  })

  it('run at once for different users, as many as allowed, and one by one for each', async () => {
    const { lane, order, turn, finishOne } = laneWith({ turnsAtOnce: 2 })
    const first = lane.enter('ana', 10)
    const turns = [
      turn(first, 'ana 1', 5),
      turn(first, 'ana 2', 5),
      turn(lane.enter('ben', 10), 'ben', 5),
      turn(lane.enter('cem', 10), 'cem', 5),
    ]
    await nextTick()
    expect(order).toEqual(['ana 1', 'ben'])
    for (let round = 0; round < 4; round += 1) await finishOne()
    await Promise.all(turns)
  })

  it('go on after work that failed', async () => {
    const { lane } = laneWith()
    const place = lane.enter('ana', 10)
    await expect(place.turn(5, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(place.turn(5, async () => 'fine')).resolves.toBe('fine')
  })
})

describe('a lane that closes', () => {
  it('finishes texts that have begun and refuses the others with a 503', async () => {
    const { lane, order, turn, finishOne } = laneWith()
    const begun = lane.enter('ana', 10)
    const running = turn(begun, 'begun', 5)
    const waiting = turn(lane.enter('ben', 10), 'waiting', 5)
    const recovered = turn(lane.enterAlways('cem', 10), 'recovered', 5)
    await nextTick()
    lane.close()
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    expect(refusal(() => lane.enter('dan', 10))).toMatchObject({ code: 'unavailable' })
    await finishOne()
    const rest = turn(begun, 'rest', 5)
    await finishOne()
    await finishOne()
    await Promise.all([running, recovered, rest])
    expect(order.sort()).toEqual(['begun', 'recovered', 'rest'])
  })
})

describe('bounds', () => {
  it('refuse a user with too much unfinished text with a 429 that says when to retry, and nobody else', () => {
    const { lane } = laneWith({ charactersPerUser: 20_000, charactersInAll: 100_000 })
    const place = lane.enter('mallory', 15_000)
    const refused = refusal(() => lane.enter('mallory', 6_000))
    expect(refused).toMatchObject({ code: 'rate_limit_exceeded', status: 429, retryAfterSeconds: 3 })
    lane.enter('ana', 6_000).leave()
    place.leave()
    lane.enter('mallory', 6_000).leave()
    expect(lane.texts).toBe(0)
  })

  it('refuse everyone with a 503 where all users together have too much', () => {
    const { lane } = laneWith({ charactersInAll: 250 })
    lane.enter('ana', 150)
    expect(refusal(() => lane.enter('ben', 150))).toMatchObject({ code: 'unavailable', status: 503 })
    lane.enter('ben', 100)
  })

  it('accept one text of any length, and texts that were accepted before a crash', () => {
    const { lane } = laneWith()
    lane.enter('ana', 5_000).leave()
    lane.enter('ana', 150)
    lane.enterAlways('ana', 5_000)
    expect(lane.texts).toBe(2)
  })
})
