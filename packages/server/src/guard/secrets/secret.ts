/** Characters of a text, from `start` up to, but not including, `end`. */
export interface Secret {
  readonly kind: string
  readonly start: number
  readonly end: number
}
