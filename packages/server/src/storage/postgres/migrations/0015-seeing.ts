import { createSeeing } from '../distribute.js'
import type { Migration } from '../migration.js'

/** The procedure that declares whose rows a transaction sees, so that the same statement does it with and without Citus. */
export const seeing: Migration = { version: 15, sql: () => createSeeing('plain') }
