import type { Migration } from '../migration.js'

/** The period that a version's content is about. NULL: it mentions no date, or was stored before this column existed. */
export const eventTimes: Migration = {
  version: 14,
  sql: `
ALTER TABLE versions ADD COLUMN event_from INTEGER;
ALTER TABLE versions ADD COLUMN event_to INTEGER;
`,
}
