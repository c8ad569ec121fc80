import type { Migration } from '../migration.js'

/** See the embedded engine's migration of the same name. */
export const applicationKeys: Migration = {
  version: 12,
  sql: () => 'ALTER TABLE keys ADD COLUMN user_prefix text COLLATE "C";',
}
