/**
 * Where every column of either engine is in the portable records, or why it is in none. A migration that adds a column
 * must add it here, or the tests of both engines fail: an export that forgets something loses it.
 */

/** By column: the record and the field that contain it. */
export const recordFields: Readonly<Record<string, string>> = {
  ...same('users', 'user', ['id', 'expiry_told']),
  'users.user_id': 'user.id',
  ...same('entities', 'entity', ['id', 'type', 'name', 'name_key', 'merged_into']),
  'entities.key': 'entity.number',
  ...same('entity_spellings', 'entity.spellings', ['spelling', 'spelling_key', 'uses']),
  'entity_spellings.entity': 'entity.number',
  'entity_spellings.type': 'entity.type',
  ...same('memories', 'memory', [
    'id',
    'source',
    'created_at',
    'project',
    'expires_at',
    'content_key',
    'superseded_at',
  ]),
  ...same('memories', 'memory', ['superseded_by', 'withdrawn', 'access_count', 'last_accessed']),
  'memories.key': 'memory.number',
  'memories.current_row': 'memory.current',
  ...same('versions', 'version', ['memory', 'version', 'content', 'checksum', 'metadata', 'project', 'expires_at']),
  ...same('versions', 'version', ['trust_score', 'flagged', 'valid_from', 'valid_to', 'outdated']),
  'versions.event_from': 'version.event.from',
  'versions.event_to': 'version.event.to',
  'versions.row': 'version.number',
  'versions.model_id': 'version.embedding.model',
  'vectors.row': 'version.number',
  'vectors.vector': 'version.embedding.vector',
  ...same('mentions', 'version.mentions', ['entity', 'position', 'spellings']),
  'mentions.version': 'version.number',
  'mentions.memory': 'version.memory',
  'mentions.memory_created_at': 'memory.created_at',
  'mentions.current': 'memory.current',
  ...same('slots', 'version.slots', ['slot', 'value']),
  'slots.version': 'version.number',
  'slots.memory': 'version.memory',
  'slots.current': 'memory.current',
  ...same('relationships', 'relationship', ['id', 'source', 'target', 'type', 'valid_from', 'valid_to', 'told_at']),
  ...same('relationships', 'relationship', ['exclusive']),
  ...same('relationship_sources', 'relationship.tellings', [
    'version',
    'properties',
    'exclusive',
    'starts_at',
    'ends_at',
  ]),
  ...same('relationship_ends', 'relationship.ends', ['version', 'ends_at']),
  ...same('documents', 'document', ['id', 'source', 'stored_at']),
  ...same('segments', 'document.segments', ['position', 'text']),
  ...same('memory_sources', 'document.memories', ['memory', 'first_segment', 'last_segment']),
  ...same('contradictions', 'contradiction', [
    'id',
    'old_memory',
    'new_memory',
    'old_version',
    'new_version',
    'status',
  ]),
  ...same('contradictions', 'contradiction', ['why', 'reason', 'created_at', 'decided_at']),
  'contradictions.part_start': 'contradiction.part.start',
  'contradictions.part_end': 'contradiction.part.end',
  ...same('entity_merges', 'entity_merge', ['id', 'entity', 'into_entity', 'rule', 'why', 'created_at']),
  ...same('entity_merges', 'entity_merge', ['reverted_at', 'reverted_by']),
  ...same('items', 'item', ['project', 'namespace', 'key', 'version', 'value', 'fields', 'trust_score', 'flagged']),
  ...same('items', 'item', ['created_at', 'valid_from', 'valid_to', 'expires_at']),
  ...same('inbox', 'pending', ['id', 'project', 'payload']),
  'inbox.user_id': 'pending.user',
  ...same('spaces', 'space', ['name', 'created_at']),
  'spaces.user_id': 'space.id',
  ...same('memberships', 'space.members', ['role', 'founded', 'joined_at']),
  'memberships.user_id': 'space.members.user',
  'memberships.space': 'space.id',
  ...same('webhooks', 'webhook', ['id', 'url', 'types', 'project', 'secret', 'created_at', 'created_by']),
  'webhooks.user_id': 'webhook.user',
  ...same('keys', 'key', [
    'id',
    'name',
    'preview',
    'hash',
    'created_at',
    'last_used_at',
    'revoked_at',
    'access',
    'project',
    'expires_at',
    'user_prefix',
  ]),
  'keys.user_id': 'key.user',
}

const ofTheRecordsUser = 'the user whose records these are'
const place = 'a number that only this store uses: the position among records of its kind gives the order'
const recomputed = 'recomputed by the store that imports the records'
const oneAddress = 'tokens are for the address of one service: clients connect again after a move'
const temporary = 'recent or pending work of this store, kept for a short time'

/** By column: why no record has it. */
export const leftOut: Readonly<Record<string, string>> = {
  'users.revision': recomputed,
  'users.event_floor': recomputed,
  'users.next_row': recomputed,
  'users.memories': recomputed,
  'users.facts_model': recomputed,
  'users.bytes': recomputed,
  ...columnsOf('facts', ['memory', 'version', 'number', 'start', 'stop', 'subject', 'about', 'value'], recomputed),
  ...columnsOf('facts', ['topic', 'confidence', 'current'], recomputed),
  'versions.revision': recomputed,
  'vectors_quantized.row': recomputed,
  'vectors_quantized.scale': recomputed,
  'vectors_quantized.quantized': recomputed,
  'relationships.key': place,
  'relationship_sources.relationship': place,
  'relationship_ends.relationship': place,
  'documents.key': place,
  'segments.document': place,
  'memory_sources.document': place,
  'contradictions.key': place,
  'entity_merges.key': place,
  // Column of the first layout of merges; nothing has ever written it.
  'entity_merges.version': 'unused',
  ...columnsOf('items', ['row', 'revision', 'model_id', 'vector'], recomputed),
  'spaces.closing': temporary,
  ...columnsOf('webhooks', ['revision', 'position', 'attempts', 'next_attempt_at', 'failing', 'claim'], temporary),
  ...columnsOf('webhooks', ['claimed_until', 'last_attempt_at', 'last_success_at', 'last_status'], temporary),
  ...columnsOf('webhooks', ['last_error'], temporary),
  ...columnsOf('events', ['user_id', 'revision', 'position', 'at', 'type', 'action', 'memory_id'], temporary),
  ...columnsOf('events', ['project', 'checksum', 'related'], temporary),
  ...columnsOf('dead_letters', ['user_id', 'revision', 'position', 'webhook', 'attempts'], temporary),
  ...columnsOf('dead_letters', ['status', 'error', 'at', 'due'], temporary),
  ...columnsOf('answers', ['user_id', 'key_hash', 'fingerprint', 'kept_at', 'summary'], temporary),
  ...columnsOf('answers', ['relationships_created'], temporary),
  ...columnsOf('answer_items', ['user_id', 'key_hash', 'position', 'memory', 'payload'], temporary),
  ...columnsOf('answer_items', ['entity_names'], temporary),
  ...columnsOf('conversations', ['user_id', 'project', 'name', 'stored_at', 'document', 'turns'], temporary),
  'documents.continues': 'only a hint for vectors that are made again',
  ...columnsOf('oauth_grants', ['id', 'user_id', 'client_id', 'client_name', 'audience', 'approved_by'], oneAddress),
  ...columnsOf('oauth_grants', ['created_at', 'last_used_at', 'expires_at', 'revoked_at', 'code_hash'], oneAddress),
  ...columnsOf('oauth_grants', ['challenge', 'redirect_uri', 'family_hash', 'refresh_hash', 'access_hash'], oneAddress),
  ...columnsOf('oauth_grants', ['access_expires_at', 'former_access_hash', 'former_access_expires_at'], oneAddress),
  ...columnsOf('oauth_grants', ['former_refresh_hash', 'refreshed_at', 'salt'], oneAddress),
  ...columnsOf('index_segments', ['user_id', 'from_revision', 'from_row', 'to_revision', 'to_row'], recomputed),
  ...columnsOf('index_segments', ['model_id', 'format', 'seed', 'versions', 'first_row', 'last_row'], recomputed),
  ...columnsOf('index_segments', ['rows', 'bytes'], recomputed),
  ...columnsOf('active_users', ['user_id', 'active_at'], temporary),
  ...columnsOf('claims', ['name', 'holder', 'until'], temporary),
  // They inform indexes of deleted rows; the indexes of a new store have not seen any rows.
  ...Object.fromEntries(['user_id', 'revision', 'row'].map((column) => [`tombstones.${column}`, recomputed])),
  ...Object.fromEntries(ownedTables().map((table) => [`${table}.user_id`, ofTheRecordsUser])),
}

function columnsOf(table: string, columns: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [`${table}.${column}`, reason]))
}

function same(table: string, record: string, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [`${table}.${column}`, `${record}.${column}`]))
}

function ownedTables(): string[] {
  return [
    ...[
      'memories',
      'versions',
      'vectors',
      'vectors_quantized',
      'entities',
      'entity_spellings',
      'mentions',
      'slots',
      'facts',
    ],
    ...['relationships', 'relationship_sources', 'relationship_ends', 'documents', 'segments', 'memory_sources'],
    ...['contradictions', 'entity_merges', 'items'],
  ]
}
