/** Short texts and long ones have separate lanes: a short one never waits for another user's long one. */
import type { Actor } from '../../core/actor.js'
import { isSpaceId } from '../../core/space.js'
import { FairLane, type Place, type Turns } from './fair-lane.js'

/** Longer texts take turns. A short one takes a fraction of a second. */
const shortText = 2_000
/** A quarter of a second for the models, and up to a second for a list of names. */
const sliceCharacters = 2_000
/** Four texts of the greatest length. */
const charactersPerUser = 200_000
const charactersInAll = 2_000_000
const shortTextsPerUser = 8

export interface TextLanes {
  /** @throws ServiceError: a 429 for a user with too much unfinished text, a 503 where all users together have too much. */
  enter(user: string, characters: number): Place
  /** For texts of a batch, which take turns even if they are short. */
  enterBulk(user: string, characters: number): Place
  /** Never refuses. */
  enterAlways(user: string, characters: number): Place
  /** For a shutdown: refuses texts that have had no turn yet. */
  close(): void
  /** Number of texts in progress. */
  readonly texts: number
}

/** `longAtOnce`: users whose long texts are worked on at the same moment. */
export function textLanes(longAtOnce: number): TextLanes {
  const bounds = { charactersPerUser, charactersInAll }
  const short = new FairLane({
    ...bounds,
    turnsAtOnce: Number.POSITIVE_INFINITY,
    turnsPerUser: shortTextsPerUser,
  })
  const long = new FairLane({ ...bounds, turnsAtOnce: longAtOnce, turnsPerUser: 1 })
  const laneOf = (characters: number) => (characters <= shortText ? short : long)
  return {
    enter: (user, characters) => laneOf(characters).enter(user, characters),
    enterBulk: (user, characters) => long.enter(user, characters),
    enterAlways: (user, characters) => laneOf(characters).enterAlways(user, characters),
    close() {
      short.close()
      long.close()
    },
    get texts() {
      return short.texts + long.texts
    },
  }
}

/** Who takes the turn for a text. In a space it is the key of the member: one member of many spaces has no more turns than others. */
export function turnTaker({ keyId }: Pick<Actor, 'keyId'>, owner: string): string {
  return isSpaceId(owner) && keyId !== null ? keyId : owner
}

export async function inLane<Result>(place: Place, work: (place: Place) => Promise<Result>): Promise<Result> {
  try {
    return await work(place)
  } finally {
    place.leave()
  }
}

/** One turn per slice of the items. The results are in the order of the items. */
export async function inSlices<Item, Result>(
  place: Turns,
  items: readonly Item[],
  textOf: (item: Item) => string,
  work: (slice: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const { slice, characters } of slicesOf(items, textOf)) {
    const some = await place.turn(characters, () => work(slice))
    if (some.length !== slice.length) throw new Error('there are fewer results than texts')
    for (const result of some) results.push(result)
  }
  return results
}

function slicesOf<Item>(items: readonly Item[], textOf: (item: Item) => string) {
  const slices: { slice: Item[]; characters: number }[] = []
  for (const item of items) {
    const { length } = textOf(item)
    const last = slices.at(-1)
    if (last && last.characters + length <= sliceCharacters) {
      last.slice.push(item)
      last.characters += length
    } else slices.push({ slice: [item], characters: length })
  }
  return slices
}

/** For work that nobody else waits for. */
export const atOnce: Turns = { turn: (_, work) => work() }
