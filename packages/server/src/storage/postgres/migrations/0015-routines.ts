import { createRoutines } from '../distribute.js'
import type { Migration } from '../migration.js'

/** Routines that the service calls by the same name with and without Citus. */
export const routines: Migration = { version: 15, sql: () => createRoutines('plain') }
