import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/** The last turns of each conversation, for the turns that follow within hours. They contain text and are erased with any memory. */
export const conversations: Migration = {
  version: 5,
  sql: (layout) => `
${layout.table(
  'conversations',
  `
  user_id ${text} NOT NULL,
  project ${text} NOT NULL,
  name ${text} NOT NULL,
  stored_at bigint NOT NULL,
  document bigint,
  turns text NOT NULL,
  PRIMARY KEY (user_id, project, name)`,
)}
CREATE INDEX conversations_by_age ON conversations (stored_at);
CREATE INDEX conversations_by_age_of_user ON conversations (user_id, stored_at);
-- The document with the turns before those of this one.
ALTER TABLE documents ADD COLUMN continues bigint;
`,
}
