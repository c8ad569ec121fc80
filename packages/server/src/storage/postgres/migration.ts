import type { Layout } from './layout.js'

export interface Migration {
  readonly version: number
  readonly sql: (layout: Layout) => string
}

/** The operator can fix it and needs no stack trace. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable'
  readonly operatorMessage = true
}
