/** What the OpenAPI document shows; a test holds each against its schema. */
export const memoryExample = {
  id: 'mem_01jnh5w3x8e2m9v4q7t6z0y1ab',
  user_id: 'alice',
  content: 'John works at Acme Corp',
  project: null,
  metadata: { topic: 'people' },
  checksum: '6c1b4c7f2b1c0b8f6f0d5e4a3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09',
  trust_score: 1,
  source: 'api',
  entities: ['John', 'Acme Corp'],
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  expires_at: null,
  last_accessed: '2026-03-02T10:00:00.000Z',
  access_count: 1,
  decay_score: 1,
  flagged: false,
  superseded_at: null,
  superseded_by: null,
}

export const entityExample = {
  id: 'ent_01jnh5w3x8e2m9v4q7t6z0y1ac',
  user_id: 'alice',
  name: 'John',
  type: 'PERSON',
  aliases: ['John Smith'],
  memory_count: 1,
  first_seen: '2026-03-01T09:30:00.000Z',
  last_seen: '2026-03-01T09:30:00.000Z',
}

export const relationshipExample = {
  id: 'rel_01jnh5w3x8e2m9v4q7t6z0y1ad',
  source: 'John',
  source_id: entityExample.id,
  target: 'Acme Corp',
  target_id: 'ent_01jnh5w3x8e2m9v4q7t6z0y1ae',
  type: 'WORKS_AT',
  properties: {},
  valid_from: '2026-03-01T09:30:00.000Z',
  valid_to: null,
  memory_ids: [memoryExample.id],
}

export const keyExample = {
  id: 'key_01jnh5w3x8e2m9v4q7t6z0y1ab',
  user_id: 'alice',
  name: 'laptop',
  preview: 'ksk_01jnh5w3x8e2m9v4q7t6z0y1ab_…',
  status: 'active',
  created_at: '2026-03-01T09:30:00.000Z',
  last_used_at: null,
  revoked_at: null,
}
