export interface Asked {
  readonly query: string
  readonly limit: number | undefined
  readonly threshold: number | undefined
  readonly maxTokens: number | undefined
  readonly enableHybrid: boolean
  readonly enableRerank: boolean
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
}
