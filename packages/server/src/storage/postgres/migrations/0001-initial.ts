/**
 * The same tables as in the embedded engine. `user_id` is the first column of every primary key, unique index and foreign key, so
 * that the tables can be hash-partitioned, or distributed by an extension, without changes (ADR 16). Row keys are numbers counted
 * per user (see `sql/user-data.ts`). Ids are unique by construction, and the index `(id, user_id)` finds one with or without its
 * user.
 */
import { setting } from '../layout.js'
import type { Migration } from '../migration.js'

/** Texts are compared byte by byte, as in the embedded engine, whatever the locale of the database. */
const text = 'text COLLATE "C"'

export const initial: Migration = {
  version: 1,
  sql: (layout) => {
    const table = (name: string, definition: string) => layout.table(name, definition)
    return `
${table(
  'users',
  `
  user_id ${text} PRIMARY KEY CHECK (user_id <> ''),
  revision bigint NOT NULL,
  next_row bigint NOT NULL,
  memories bigint NOT NULL`,
)}
${table(
  'memories',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  source text NOT NULL,
  created_at bigint NOT NULL,
  current_row bigint NOT NULL,
  -- Of the current version:
  project ${text},
  expires_at bigint,
  content_key ${text} NOT NULL,
  superseded_at bigint,
  superseded_by bigint,
  -- A revert withdrew it, so nothing that it stated ever held.
  withdrawn boolean NOT NULL DEFAULT false,
  access_count bigint NOT NULL DEFAULT 0,
  last_accessed bigint,
  PRIMARY KEY (user_id, key)`,
)}
CREATE UNIQUE INDEX memories_by_id ON memories (id, user_id);
CREATE INDEX memories_by_age ON memories (user_id, created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_project ON memories (user_id, project, created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_age_of_everyone ON memories (created_at, id) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_content ON memories (user_id, content_key) WHERE superseded_at IS NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at, user_id) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;

${table(
  'versions',
  `
  user_id ${text} NOT NULL,
  row bigint NOT NULL,
  memory bigint NOT NULL,
  version bigint NOT NULL,
  content text NOT NULL,
  checksum ${text} NOT NULL,
  metadata json NOT NULL,
  project ${text},
  expires_at bigint,
  trust_score double precision NOT NULL,
  flagged boolean NOT NULL,
  model_id ${text} NOT NULL,
  valid_from bigint NOT NULL,
  valid_to bigint,
  revision bigint NOT NULL,
  PRIMARY KEY (user_id, row),
  FOREIGN KEY (user_id, memory) REFERENCES memories (user_id, key) ON DELETE CASCADE`,
)}
CREATE UNIQUE INDEX versions_by_memory ON versions (user_id, memory, version);
CREATE INDEX versions_by_revision ON versions (user_id, revision, row);
CREATE INDEX versions_by_model ON versions (model_id, (valid_to IS NOT NULL), user_id, row);

-- Separate from each other and from the text, so that the feed and a scan read small rows.
${table(
  'vectors_quantized',
  `
  user_id ${text} NOT NULL,
  row bigint NOT NULL,
  scale double precision NOT NULL,
  quantized bytea NOT NULL,
  PRIMARY KEY (user_id, row),
  FOREIGN KEY (user_id, row) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}
${table(
  'vectors',
  `
  user_id ${text} NOT NULL,
  row bigint NOT NULL,
  vector vector NOT NULL,
  PRIMARY KEY (user_id, row),
  FOREIGN KEY (user_id, row) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}

${table(
  'tombstones',
  `
  user_id ${text} NOT NULL,
  revision bigint NOT NULL,
  row bigint NOT NULL,
  PRIMARY KEY (user_id, revision, row)`,
)}

${table(
  'entities',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  type ${text} NOT NULL,
  name ${text} NOT NULL,
  name_key ${text} NOT NULL,
  -- The entity that it is shown as part of, at the end of any chain; null: it is shown as itself.
  merged_into bigint,
  PRIMARY KEY (user_id, key)`,
)}
CREATE UNIQUE INDEX entities_by_id ON entities (id, user_id);
CREATE UNIQUE INDEX entities_by_name ON entities (user_id, type, name_key);
CREATE INDEX entities_by_root ON entities (user_id, merged_into) WHERE merged_into IS NOT NULL;

-- The name and the aliases, each with the number of versions that use it: one that no version uses is erased.
${table(
  'entity_spellings',
  `
  user_id ${text} NOT NULL,
  entity bigint NOT NULL,
  spelling ${text} NOT NULL,
  type ${text} NOT NULL,
  spelling_key ${text} NOT NULL,
  uses bigint NOT NULL,
  PRIMARY KEY (user_id, entity, spelling),
  FOREIGN KEY (user_id, entity) REFERENCES entities (user_id, key) ON DELETE CASCADE`,
)}
CREATE INDEX entity_spellings_by_key ON entity_spellings (user_id, spelling_key, type);

${table(
  'mentions',
  `
  user_id ${text} NOT NULL,
  version bigint NOT NULL,
  entity bigint NOT NULL,
  memory bigint NOT NULL,
  memory_created_at bigint NOT NULL,
  current boolean NOT NULL,
  position bigint NOT NULL,
  spellings text[] NOT NULL,
  PRIMARY KEY (user_id, version, entity),
  FOREIGN KEY (user_id, version) REFERENCES versions (user_id, row) ON DELETE CASCADE,
  FOREIGN KEY (user_id, entity) REFERENCES entities (user_id, key)`,
)}
CREATE INDEX mentions_by_entity ON mentions (user_id, entity, version);
CREATE INDEX mentions_by_age ON mentions (user_id, entity, memory_created_at, memory) WHERE current;

${table(
  'relationships',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  source bigint NOT NULL,
  target bigint NOT NULL,
  type ${text} NOT NULL,
  valid_from bigint NOT NULL,
  valid_to bigint,
  -- When it was first stated, and whether a statement in force excludes others.
  told_at bigint NOT NULL,
  exclusive boolean NOT NULL,
  PRIMARY KEY (user_id, key),
  FOREIGN KEY (user_id, source) REFERENCES entities (user_id, key),
  FOREIGN KEY (user_id, target) REFERENCES entities (user_id, key)`,
)}
CREATE INDEX relationships_by_source ON relationships (user_id, source, type, target);
CREATE INDEX relationships_by_target ON relationships (user_id, target);

-- As the version states it, so that it is erased with the version.
${table(
  'relationship_sources',
  `
  user_id ${text} NOT NULL,
  relationship bigint NOT NULL,
  version bigint NOT NULL,
  properties jsonb NOT NULL,
  exclusive boolean NOT NULL,
  starts_at bigint,
  ends_at bigint,
  PRIMARY KEY (user_id, relationship, version),
  FOREIGN KEY (user_id, relationship) REFERENCES relationships (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, version) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}
CREATE INDEX relationship_sources_by_version ON relationship_sources (user_id, version);
${table(
  'relationship_ends',
  `
  user_id ${text} NOT NULL,
  relationship bigint NOT NULL,
  version bigint NOT NULL,
  ends_at bigint NOT NULL,
  PRIMARY KEY (user_id, relationship, version),
  FOREIGN KEY (user_id, relationship) REFERENCES relationships (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, version) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}
CREATE INDEX relationship_ends_by_version ON relationship_ends (user_id, version);

${table(
  'slots',
  `
  user_id ${text} NOT NULL,
  version bigint NOT NULL,
  slot ${text} NOT NULL,
  value ${text} NOT NULL,
  memory bigint NOT NULL,
  current boolean NOT NULL,
  PRIMARY KEY (user_id, version, slot, value),
  FOREIGN KEY (user_id, version) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}
CREATE INDEX slots_by_name ON slots (user_id, slot, memory) WHERE current;

${table(
  'documents',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  source text NOT NULL,
  stored_at bigint NOT NULL,
  PRIMARY KEY (user_id, key)`,
)}
${table(
  'segments',
  `
  user_id ${text} NOT NULL,
  document bigint NOT NULL,
  position bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (user_id, document, position),
  FOREIGN KEY (user_id, document) REFERENCES documents (user_id, key) ON DELETE CASCADE`,
)}
${table(
  'memory_sources',
  `
  user_id ${text} NOT NULL,
  memory bigint NOT NULL,
  document bigint NOT NULL,
  first_segment bigint NOT NULL,
  last_segment bigint NOT NULL,
  PRIMARY KEY (user_id, memory, document, first_segment, last_segment),
  FOREIGN KEY (user_id, memory) REFERENCES memories (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, document) REFERENCES documents (user_id, key) ON DELETE CASCADE`,
)}
CREATE INDEX memory_sources_by_document ON memory_sources (user_id, document);

${table(
  'contradictions',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  old_memory bigint NOT NULL,
  new_memory bigint NOT NULL,
  old_version bigint NOT NULL,
  new_version bigint NOT NULL,
  status ${text} NOT NULL,
  why text NOT NULL,
  reason json,
  created_at bigint NOT NULL,
  decided_at bigint,
  PRIMARY KEY (user_id, key),
  FOREIGN KEY (user_id, old_memory) REFERENCES memories (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, new_memory) REFERENCES memories (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, old_version) REFERENCES versions (user_id, row) ON DELETE CASCADE,
  FOREIGN KEY (user_id, new_version) REFERENCES versions (user_id, row) ON DELETE CASCADE`,
)}
CREATE UNIQUE INDEX contradictions_by_id ON contradictions (id, user_id);
CREATE INDEX contradictions_by_age ON contradictions (user_id, created_at, id);
CREATE INDEX contradictions_by_age_of_everyone ON contradictions (created_at, id);
CREATE INDEX contradictions_by_old_memory ON contradictions (user_id, old_memory);
CREATE INDEX contradictions_by_new_memory ON contradictions (user_id, new_memory);
CREATE INDEX contradictions_by_old_version ON contradictions (user_id, old_version);
CREATE INDEX contradictions_by_new_version ON contradictions (user_id, new_version);

${table(
  'entity_merges',
  `
  user_id ${text} NOT NULL,
  key bigint NOT NULL,
  id ${text} NOT NULL,
  entity bigint NOT NULL,
  into_entity bigint NOT NULL,
  rule ${text} NOT NULL,
  why text NOT NULL,
  created_at bigint NOT NULL,
  reverted_at bigint,
  reverted_by ${text},
  PRIMARY KEY (user_id, key),
  FOREIGN KEY (user_id, entity) REFERENCES entities (user_id, key) ON DELETE CASCADE,
  FOREIGN KEY (user_id, into_entity) REFERENCES entities (user_id, key) ON DELETE CASCADE`,
)}
CREATE UNIQUE INDEX entity_merges_by_id ON entity_merges (id, user_id);
CREATE UNIQUE INDEX entity_merges_standing ON entity_merges (user_id, entity) WHERE reverted_at IS NULL;
CREATE INDEX entity_merges_by_entity ON entity_merges (user_id, entity);
CREATE INDEX entity_merges_by_target ON entity_merges (user_id, into_entity);

-- Texts that are still being processed: a user's first text arrives before the user's row exists.
${table(
  'inbox',
  `
  user_id ${text} NOT NULL,
  id ${text} NOT NULL,
  project ${text},
  payload text NOT NULL,
  PRIMARY KEY (user_id, id)`,
)}

-- The only table that is queried before a user is known: by id alone, and no two keys may have the same id.
CREATE TABLE keys (
  id ${text} PRIMARY KEY,
  user_id ${text} NOT NULL,
  name text NOT NULL,
  preview text NOT NULL,
  hash text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint
);
CREATE INDEX keys_by_user ON keys (user_id, created_at, id);
CREATE INDEX keys_by_age ON keys (created_at, id);
${layout.protect('keys', `${setting('keys')} = 'yes'`)}
`
  },
}
