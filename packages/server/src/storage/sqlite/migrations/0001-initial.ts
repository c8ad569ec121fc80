import type { Migration } from '../migration.js'

/**
 * Row numbers are `user key * 2^28 + sequence` (see `sql/user-data.ts`), so that the rows of one user are stored together. A
 * memory's key is the row of its first version. `current` columns record whether a version is its memory's latest, so that
 * partial indexes contain nothing else.
 */
export const initial: Migration = {
  version: 1,
  sql: `
CREATE TABLE users (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  next_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE memories (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  current_row INTEGER NOT NULL,
  -- of the current version:
  project TEXT,
  expires_at INTEGER,
  content_key TEXT NOT NULL,
  superseded_at INTEGER,
  superseded_by INTEGER REFERENCES memories (key) ON DELETE SET NULL,
  access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed INTEGER
) STRICT;
CREATE INDEX memories_by_age ON memories (user, created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_project ON memories (user, project, created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_age_of_everyone ON memories (created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_to_count ON memories (user, expires_at, project) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_content ON memories (user, content_key) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_expiry ON memories (user, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_expiry_of_everyone ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE versions (
  row INTEGER PRIMARY KEY,
  user INTEGER NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  checksum TEXT NOT NULL,
  metadata TEXT NOT NULL,
  project TEXT,
  expires_at INTEGER,
  trust_score REAL NOT NULL,
  flagged INTEGER NOT NULL,
  model_id TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  revision INTEGER NOT NULL,
  UNIQUE (memory, version)
) STRICT;
CREATE INDEX versions_by_revision ON versions (user, revision);

-- Separate from each other and from the text, so that the feed reads small adjacent rows.
CREATE TABLE vectors_quantized (
  row INTEGER PRIMARY KEY REFERENCES versions (row) ON DELETE CASCADE,
  scale REAL NOT NULL,
  quantized BLOB NOT NULL
) STRICT;
CREATE TABLE vectors (
  row INTEGER PRIMARY KEY REFERENCES versions (row) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;

CREATE TABLE tombstones (
  user INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (user, revision, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  UNIQUE (user, type, name_key)
) STRICT;

-- The name and the aliases, each with the number of versions that use it: one that no version uses is erased.
CREATE TABLE entity_spellings (
  entity INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
  spelling TEXT NOT NULL,
  user INTEGER NOT NULL,
  type TEXT NOT NULL,
  spelling_key TEXT NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (entity, spelling)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_spellings_by_key ON entity_spellings (user, spelling_key, type);

CREATE TABLE mentions (
  version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities (key),
  memory INTEGER NOT NULL,
  memory_created_at INTEGER NOT NULL,
  current INTEGER NOT NULL,
  position INTEGER NOT NULL,
  spellings TEXT NOT NULL,
  PRIMARY KEY (version, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity, version);
CREATE INDEX mentions_by_age ON mentions (entity, memory_created_at, memory) WHERE current = 1;

CREATE TABLE relationships (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source INTEGER NOT NULL REFERENCES entities (key),
  target INTEGER NOT NULL REFERENCES entities (key),
  type TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER
) STRICT;
CREATE INDEX relationships_by_source ON relationships (source, type, target);
CREATE INDEX relationships_by_target ON relationships (target);

-- Properties are stored with the version that states them, so that they are erased with it.
CREATE TABLE relationship_sources (
  relationship INTEGER NOT NULL REFERENCES relationships (key) ON DELETE CASCADE,
  version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  properties TEXT NOT NULL,
  PRIMARY KEY (relationship, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX relationship_sources_by_version ON relationship_sources (version);

CREATE TABLE slots (
  version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  slot TEXT NOT NULL,
  value TEXT NOT NULL,
  user INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  current INTEGER NOT NULL,
  PRIMARY KEY (version, slot, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX slots_by_name ON slots (user, slot, memory) WHERE current = 1;

CREATE TABLE documents (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL
) STRICT;
CREATE TABLE segments (
  document INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (document, position)
) STRICT;
CREATE TABLE memory_sources (
  memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  document INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
  first_segment INTEGER NOT NULL,
  last_segment INTEGER NOT NULL,
  PRIMARY KEY (memory, document, first_segment, last_segment)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_by_document ON memory_sources (document);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  preview TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX keys_by_user ON keys (user_id, created_at, id);
CREATE INDEX keys_by_age ON keys (created_at, id);
`,
}
