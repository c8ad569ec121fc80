import type { Migration } from '../migration.js'

/** What a user's rows take up (see `sql/user-bytes.ts`). NULL: not counted yet, as after this migration or while there is no limit. */
export const userBytes: Migration = { version: 11, sql: 'ALTER TABLE users ADD COLUMN bytes INTEGER' }
