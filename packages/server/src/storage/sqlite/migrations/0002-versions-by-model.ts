import type { Migration } from '../migration.js'

/** Finds vectors of other models: current versions separately from history, and by user (see `outdated.ts`). */
export const versionsByModel: Migration = {
  version: 2,
  sql: 'CREATE INDEX versions_by_model ON versions (model_id, (valid_to IS NOT NULL))',
}
