/** The period that a text is about: from the first to the last date that it mentions. */
export interface EventTime {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}
