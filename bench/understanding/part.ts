/** One thing that is measured of the understanding of text. */
export interface Part {
  readonly name: string
  readonly about: string
  /** Prints its figures. @throws MissingData when its data is not there. */
  measure(options: PartOptions): Promise<void>
}

export interface PartOptions {
  /** The data folder. */
  readonly directory: string
  readonly repository: string
  readonly full: boolean
  /** Also print what was wrong. */
  readonly show: boolean
}
