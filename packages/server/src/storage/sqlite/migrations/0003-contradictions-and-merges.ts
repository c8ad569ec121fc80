import type { Migration } from '../migration.js'

/**
 * Contradictions, merged entities, and the statements that determine when a relationship began and ended. Every earlier
 * replacement becomes a contradiction that can be reverted; its id is derived from the replaced memory's, which was replaced
 * once. Relationships that are symmetric or have an inverse are stored once from now on.
 */
export const contradictionsAndMerges: Migration = {
  version: 3,
  sql: `
-- 1: a revert withdrew it, so nothing that it stated ever held.
ALTER TABLE memories ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;

CREATE TABLE contradictions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  old_memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  new_memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  old_version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  new_version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  status TEXT NOT NULL,
  why TEXT NOT NULL,
  reason TEXT,
  created_at INTEGER NOT NULL,
  decided_at INTEGER
) STRICT;
CREATE INDEX contradictions_by_age ON contradictions (user, created_at, id);
CREATE INDEX contradictions_by_status ON contradictions (user, status, created_at, id);
CREATE INDEX contradictions_by_age_of_everyone ON contradictions (created_at, id);
CREATE INDEX contradictions_by_old_memory ON contradictions (old_memory);
CREATE INDEX contradictions_by_new_memory ON contradictions (new_memory);
CREATE INDEX contradictions_by_old_version ON contradictions (old_version);
CREATE INDEX contradictions_by_new_version ON contradictions (new_version);
INSERT INTO contradictions (id, user, old_memory, new_memory, old_version, new_version, status, why, created_at)
  SELECT 'con_' || substr(o.id, 5), o.user, o.key, n.key, o.current_row, n.current_row, 'applied',
    'A later memory replaced it.', o.superseded_at
  FROM memories o JOIN memories n ON n.key = o.superseded_by ORDER BY o.superseded_at, o.key;

-- As the version states it: whether it excludes others, and when it began and ended, if stated.
ALTER TABLE relationship_sources ADD COLUMN exclusive INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relationship_sources ADD COLUMN starts_at INTEGER;
ALTER TABLE relationship_sources ADD COLUMN ends_at INTEGER;
UPDATE relationship_sources SET exclusive = 1
  WHERE EXISTS (SELECT 1 FROM relationships r WHERE r.key = relationship
      AND r.type IN ('WORKS_AT', 'LIVES_IN', 'BORN_IN', 'SPOUSE_OF', 'REPORTS_TO'))
    AND EXISTS (SELECT 1 FROM versions v WHERE v.row = version AND v.flagged = 0);
-- For the row as a whole: when it was first stated, and whether a current statement excludes others.
ALTER TABLE relationships ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relationships ADD COLUMN exclusive INTEGER NOT NULL DEFAULT 0;
UPDATE relationships SET told_at = valid_from,
  exclusive = EXISTS (SELECT 1 FROM relationship_sources s WHERE s.relationship = relationships.key AND s.exclusive = 1);
CREATE TABLE relationship_ends (
  relationship INTEGER NOT NULL REFERENCES relationships (key) ON DELETE CASCADE,
  version INTEGER NOT NULL REFERENCES versions (row) ON DELETE CASCADE,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (relationship, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX relationship_ends_by_version ON relationship_ends (version);

UPDATE relationships SET type = 'REPORTS_TO', source = target, target = source
  WHERE type = 'MANAGES' AND target IN (SELECT key FROM entities WHERE type = 'PERSON')
    AND source IN (SELECT key FROM entities WHERE type = 'PERSON');
UPDATE relationships SET source = target, target = source
  WHERE type IN ('SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS') AND source > target;
CREATE TEMP TABLE doubled AS
  SELECT r.key, (SELECT min(o.key) FROM relationships o WHERE o.source = r.source AND o.type = r.type
    AND o.target = r.target AND o.valid_to IS NULL) AS first
  FROM relationships r
  WHERE r.type IN ('SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS', 'REPORTS_TO') AND r.valid_to IS NULL;
DELETE FROM doubled WHERE key = first;
INSERT OR IGNORE INTO relationship_sources (relationship, version, properties, exclusive)
  SELECT d.first, s.version, s.properties, s.exclusive FROM doubled d JOIN relationship_sources s ON s.relationship = d.key;
UPDATE relationships SET (valid_from, told_at) = (
    SELECT min(relationships.valid_from, min(o.valid_from)), min(relationships.told_at, min(o.told_at))
    FROM doubled d JOIN relationships o ON o.key = d.key WHERE d.first = relationships.key)
  WHERE key IN (SELECT first FROM doubled);
DELETE FROM relationships WHERE key IN (SELECT key FROM doubled);
DROP TABLE doubled;

-- The entity that it is shown as part of, at the end of any chain; null: itself.
ALTER TABLE entities ADD COLUMN merged_into INTEGER REFERENCES entities (key) ON DELETE SET NULL;
CREATE INDEX entities_by_root ON entities (merged_into) WHERE merged_into IS NOT NULL;
CREATE TABLE entity_merges (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  entity INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
  into_entity INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
  rule TEXT NOT NULL,
  why TEXT NOT NULL,
  -- The version that states it: a merge that only an erased text stated is erased with it.
  version INTEGER REFERENCES versions (row) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  reverted_at INTEGER,
  reverted_by TEXT
) STRICT;
CREATE UNIQUE INDEX entity_merges_standing ON entity_merges (entity) WHERE reverted_at IS NULL;
CREATE INDEX entity_merges_by_entity ON entity_merges (entity);
CREATE INDEX entity_merges_by_target ON entity_merges (into_entity);
CREATE INDEX entity_merges_by_version ON entity_merges (version) WHERE version IS NOT NULL;
`,
}
