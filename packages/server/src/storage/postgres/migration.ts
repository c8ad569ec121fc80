import type { Layout } from './layout.js'

export interface Migration {
  readonly version: number
  readonly sql: (layout: Layout) => string
}
