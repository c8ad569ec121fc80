import type { Migration } from '../migration.js'

/**
 * The log of changes to memories, and the webhooks that receive it. Webhooks are keyed by the external user id, because a user
 * may have one before the first memory. Earlier expiries are not reported.
 */
export const events: Migration = {
  version: 6,
  sql: `
ALTER TABLE users ADD COLUMN event_floor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN expiry_told INTEGER NOT NULL DEFAULT 0;
UPDATE users SET expiry_told = unixepoch() * 1000;

CREATE TABLE events (
  user INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  action TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  project TEXT,
  checksum TEXT,
  related TEXT NOT NULL,
  PRIMARY KEY (user, revision, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_memory ON events (user, memory_id);
CREATE INDEX events_by_age ON events (at);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  project TEXT,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT,
  -- Delivered or skipped up to here:
  revision INTEGER NOT NULL,
  position INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  failing INTEGER NOT NULL DEFAULT 0,
  claim TEXT,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  last_attempt_at INTEGER,
  last_success_at INTEGER,
  last_status INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id, id);

-- An event that leaves the log, because it is old or its memory was erased, is no longer a dead letter.
CREATE TABLE dead_letters (
  user INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  position INTEGER NOT NULL,
  webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  PRIMARY KEY (user, revision, position, webhook),
  FOREIGN KEY (user, revision, position) REFERENCES events (user, revision, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_letters_by_webhook ON dead_letters (webhook, due)`,
}
