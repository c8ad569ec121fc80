/** One measurement of how text is understood. */
export interface Part {
  readonly name: string
  readonly about: string
  /** Prints its results. @throws MissingData if its data does not exist. */
  measure(options: PartOptions): Promise<void>
}

export interface PartOptions {
  /** The data folder. */
  readonly directory: string
  readonly repository: string
  readonly full: boolean
  /** Also print the errors. */
  readonly show: boolean
}
