/** The log of changes to memories, and the webhooks that receive it. Earlier expiries are not reported. */
import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

export const events: Migration = {
  version: 3,
  sql: (layout) => {
    const table = (name: string, definition: string) => layout.table(name, definition)
    return `
ALTER TABLE users ADD COLUMN event_floor bigint NOT NULL DEFAULT 0;
-- Existing rows get their value from a default: row-level security hides them from an UPDATE.
ALTER TABLE users ADD COLUMN expiry_told bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint;
ALTER TABLE users ALTER COLUMN expiry_told SET DEFAULT 0;
${table(
  'events',
  `
  user_id ${text} NOT NULL,
  revision bigint NOT NULL,
  position bigint NOT NULL,
  at bigint NOT NULL,
  type ${text} NOT NULL,
  action ${text} NOT NULL,
  memory_id ${text} NOT NULL,
  project ${text},
  checksum ${text},
  related text[] NOT NULL,
  PRIMARY KEY (user_id, revision, position)`,
)}
CREATE INDEX events_by_memory ON events (user_id, memory_id);
CREATE INDEX events_by_age ON events (at);
${table(
  'webhooks',
  `
  user_id ${text} NOT NULL,
  id ${text} NOT NULL,
  url text NOT NULL,
  types text[] NOT NULL,
  project ${text},
  secret text NOT NULL,
  created_at bigint NOT NULL,
  created_by ${text},
  -- Delivered or skipped up to here:
  revision bigint NOT NULL,
  position bigint NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  next_attempt_at bigint NOT NULL DEFAULT 0,
  failing boolean NOT NULL DEFAULT false,
  claim ${text},
  claimed_until bigint NOT NULL DEFAULT 0,
  last_attempt_at bigint,
  last_success_at bigint,
  last_status bigint,
  last_error text,
  PRIMARY KEY (user_id, id)`,
)}
CREATE UNIQUE INDEX webhooks_by_id ON webhooks (id, user_id);
-- An event that leaves the log, because it is old or its memory was erased, is no longer a dead letter.
${table(
  'dead_letters',
  `
  user_id ${text} NOT NULL,
  revision bigint NOT NULL,
  position bigint NOT NULL,
  webhook ${text} NOT NULL,
  attempts bigint NOT NULL,
  status bigint,
  error text,
  at bigint NOT NULL,
  due boolean NOT NULL,
  PRIMARY KEY (user_id, revision, position, webhook),
  FOREIGN KEY (user_id, revision, position) REFERENCES events (user_id, revision, position) ON DELETE CASCADE,
  FOREIGN KEY (user_id, webhook) REFERENCES webhooks (user_id, id) ON DELETE CASCADE`,
)}
CREATE INDEX dead_letters_by_webhook ON dead_letters (user_id, webhook, due);
`
  },
}
