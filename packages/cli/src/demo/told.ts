/**
 * What somebody told on a day of the past: so many days ago, in these words. `{43}` stands for the date of 43 days ago, `{-7}` for that of a
 * week ahead, so that the year fits the calendar whenever it is told.
 */
export type Told = readonly [daysAgo: number, text: string]

/** What was said for a while only. */
export type ToldForAWhile = readonly [daysAgo: number, text: string, ttl: string]

/** One turn of a conversation; `me` is the person herself. */
type Turn = readonly [speaker: string, text: string]

export interface Dialogue {
  readonly daysAgo: number
  readonly project?: string
  readonly turns: readonly Turn[]
}
