import type { Migration } from '../migration.js'

/** See the embedded engine's migration of the same name. */
export const userBytes: Migration = { version: 7, sql: () => 'ALTER TABLE users ADD COLUMN bytes bigint' }
