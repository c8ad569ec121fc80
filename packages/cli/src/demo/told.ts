/**
 * A statement and how many days ago it was made. `{43}` is replaced by the date 43 days ago and `{-7}` by the date a week ahead, so
 * that the text fits the calendar on any day.
 */
export type Told = readonly [daysAgo: number, text: string]

/** A statement with a TTL. */
export type ToldForAWhile = readonly [daysAgo: number, text: string, ttl: string]

/** One turn of a conversation; `me` is Nora. */
type Turn = readonly [speaker: string, text: string]

export interface Dialogue {
  readonly daysAgo: number
  readonly project?: string
  readonly turns: readonly Turn[]
}
