import type { Migration } from '../migration.js'

/**
 * Uses PostgreSQL's column names, so that one statement serves both engines: `user_id` is the owner of a row in every table. New
 * rows of every table are numbered by their user's counter, which starts at the user's key times 2^28. Existing rows keep their
 * numbers, all of which are smaller.
 */
export const userIdEverywhere: Migration = {
  version: 7,
  sql: `
ALTER TABLE users RENAME COLUMN key TO user_id;
ALTER TABLE users RENAME COLUMN next_sequence TO next_row;
UPDATE users SET next_row = user_id * 268435456 + min(next_row, 268435455);
ALTER TABLE users ADD COLUMN memories INTEGER NOT NULL DEFAULT 0;

ALTER TABLE memories RENAME COLUMN user TO user_id;
ALTER TABLE versions RENAME COLUMN user TO user_id;
ALTER TABLE tombstones RENAME COLUMN user TO user_id;
ALTER TABLE entities RENAME COLUMN user TO user_id;
ALTER TABLE entity_spellings RENAME COLUMN user TO user_id;
ALTER TABLE slots RENAME COLUMN user TO user_id;
ALTER TABLE contradictions RENAME COLUMN user TO user_id;
ALTER TABLE entity_merges RENAME COLUMN user TO user_id;
ALTER TABLE answers RENAME COLUMN user TO user_id;
ALTER TABLE answer_items RENAME COLUMN user TO user_id;
ALTER TABLE events RENAME COLUMN user TO user_id;
ALTER TABLE dead_letters RENAME COLUMN user TO user_id;
UPDATE users SET memories = (SELECT count(*) FROM memories m WHERE m.user_id = users.user_id);

ALTER TABLE mentions ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE mentions SET user_id = version / 268435456;
ALTER TABLE relationship_sources ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE relationship_sources SET user_id = version / 268435456;
ALTER TABLE relationship_ends ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE relationship_ends SET user_id = version / 268435456;
ALTER TABLE memory_sources ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE memory_sources SET user_id = memory / 268435456;
ALTER TABLE relationships ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE relationships SET user_id = (SELECT e.user_id FROM entities e WHERE e.key = relationships.source);
ALTER TABLE documents ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET user_id = coalesce((SELECT s.user_id FROM memory_sources s WHERE s.document = documents.key LIMIT 1), 0);
ALTER TABLE segments ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE segments SET user_id = (SELECT d.user_id FROM documents d WHERE d.key = segments.document);

-- A statement uses a partial index only if it repeats the index's condition literally, and needs no table rows if the index has all columns.
DROP INDEX mentions_by_age;
CREATE INDEX mentions_by_age ON mentions (entity, memory_created_at, memory, user_id, current) WHERE current;
DROP INDEX slots_by_name;
CREATE INDEX slots_by_name ON slots (user_id, slot, memory, current) WHERE current;

-- Each slice of outdated vectors is one range of this index.
DROP INDEX versions_by_model;
CREATE INDEX versions_by_model ON versions (model_id, (valid_to IS NOT NULL), user_id, row);

-- Without statistics SQLite assumes that every user has a few rows, and reads all of a user's rows where an id would find one. These
-- are fixed figures for a store with a hundred users of ten thousand memories, so that plans are the same in every store
-- (https://www.sqlite.org/optoverview.html, "Manual Control Of Query Plans Using SQLITE_STAT Tables").
ANALYZE users;
DELETE FROM sqlite_stat1;
-- Samples would outrank them.
DELETE FROM sqlite_stat4;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('users', 'sqlite_autoindex_users_1', '100 1'),
  ('memories', 'sqlite_autoindex_memories_1', '1000000 1'),
  ('memories', 'memories_by_age', '1000000 10000 2 1'),
  ('memories', 'memories_by_project', '1000000 10000 2000 2 1'),
  ('memories', 'memories_by_age_of_everyone', '1000000 2 1'),
  ('memories', 'memories_to_count', '1000000 10000 2000 400'),
  ('memories', 'memories_by_content', '1000000 10000 1'),
  ('memories', 'memories_by_expiry', '200000 2000 2'),
  ('memories', 'memories_by_expiry_of_everyone', '200000 2'),
  ('memories', 'memories_by_successor', '50000 2'),
  ('versions', 'sqlite_autoindex_versions_1', '1200000 2 1'),
  ('versions', 'versions_by_revision', '1200000 12000 2'),
  ('versions', 'versions_by_model', '1200000 600000 300000 12000 1'),
  ('tombstones', 'tombstones', '100000 1000 2 1'),
  ('entities', 'sqlite_autoindex_entities_1', '200000 1'),
  ('entities', 'sqlite_autoindex_entities_2', '200000 2000 400 1'),
  ('entities', 'entities_by_root', '20000 2'),
  ('entity_spellings', 'entity_spellings', '250000 2 1'),
  ('entity_spellings', 'entity_spellings_by_key', '250000 2500 2 2'),
  ('mentions', 'mentions', '2500000 3 1'),
  ('mentions', 'mentions_by_entity', '2500000 12 1'),
  ('mentions', 'mentions_by_age', '2000000 10 1 1 1 1'),
  ('relationships', 'sqlite_autoindex_relationships_1', '300000 1'),
  ('relationships', 'relationships_by_source', '300000 5 3 1'),
  ('relationships', 'relationships_by_target', '300000 3'),
  ('relationship_sources', 'relationship_sources', '400000 2 1'),
  ('relationship_sources', 'relationship_sources_by_version', '400000 1'),
  ('relationship_ends', 'relationship_ends', '20000 1 1'),
  ('relationship_ends', 'relationship_ends_by_version', '20000 1'),
  ('slots', 'slots', '800000 2 1 1'),
  ('slots', 'slots_by_name', '700000 7000 5 1 1'),
  ('documents', 'sqlite_autoindex_documents_1', '300000 1'),
  ('segments', 'sqlite_autoindex_segments_1', '1200000 4 1'),
  ('memory_sources', 'memory_sources', '1100000 1 1 1 1'),
  ('memory_sources', 'memory_sources_by_document', '1100000 4'),
  ('contradictions', 'sqlite_autoindex_contradictions_1', '60000 1'),
  ('contradictions', 'contradictions_by_age', '60000 600 2 1'),
  ('contradictions', 'contradictions_by_status', '60000 600 300 2 1'),
  ('contradictions', 'contradictions_by_age_of_everyone', '60000 2 1'),
  ('contradictions', 'contradictions_by_old_memory', '60000 1'),
  ('contradictions', 'contradictions_by_new_memory', '60000 1'),
  ('contradictions', 'contradictions_by_old_version', '60000 1'),
  ('contradictions', 'contradictions_by_new_version', '60000 1'),
  ('entity_merges', 'sqlite_autoindex_entity_merges_1', '20000 1'),
  ('entity_merges', 'entity_merges_standing', '18000 1'),
  ('entity_merges', 'entity_merges_by_entity', '20000 1'),
  ('entity_merges', 'entity_merges_by_target', '20000 2'),
  ('entity_merges', 'entity_merges_by_version', '100 1'),
  ('inbox', 'sqlite_autoindex_inbox_1', '100 1'),
  ('inbox', 'inbox_by_user', '100 10 1'),
  ('answers', 'answers', '100000 1000 1'),
  ('answers', 'answers_by_age', '100000 1'),
  ('answer_items', 'answer_items', '300000 3000 3 1'),
  ('answer_items', 'answer_items_by_memory', '300000 1'),
  ('events', 'events', '1000000 10000 2 1'),
  ('events', 'events_by_memory', '1000000 10000 2'),
  ('events', 'events_by_age', '1000000 2'),
  ('webhooks', 'sqlite_autoindex_webhooks_1', '100 1'),
  ('webhooks', 'webhooks_by_user', '100 2 1'),
  ('dead_letters', 'dead_letters', '10000 100 2 1 1'),
  ('dead_letters', 'dead_letters_by_webhook', '10000 100 50'),
  ('keys', 'sqlite_autoindex_keys_1', '1000 1'),
  ('keys', 'keys_by_user', '1000 10 2 1'),
  ('keys', 'keys_by_age', '1000 2 1')`,
}
