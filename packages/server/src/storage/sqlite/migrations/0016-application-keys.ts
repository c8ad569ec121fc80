import type { Migration } from '../migration.js'

/** Keys that act for the users whose ids start with a prefix; their own user is empty. Existing keys are keys of one user. */
export const applicationKeys: Migration = {
  version: 16,
  sql: 'ALTER TABLE keys ADD COLUMN user_prefix TEXT',
}
