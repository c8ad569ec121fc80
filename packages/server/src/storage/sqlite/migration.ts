export interface Migration {
  readonly version: number
  readonly sql: string
}
