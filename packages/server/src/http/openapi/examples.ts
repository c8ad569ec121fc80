/** The examples of the OpenAPI document. A test validates each one against its schema. */
export const memoryExample = {
  id: 'mem_01jnh5w3x8e2m9v4q7t6z0y1ab',
  user_id: 'alice',
  content: 'John works at Acme Corp',
  action: 'ADD',
  score: null,
  project: null,
  metadata: { topic: 'people' },
  checksum: 'cbe2096d7381ae123ef222212bd86f38bdcb4d403d7039474d83725d19065c7d',
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

export const grantExample = {
  id: 'grt_01jnh5w3x8e2m9v4q7t6z0y1af',
  user_id: 'alice',
  client_id: 'https://assistant.example.com/oauth/client.json',
  client_name: 'Assistant',
  status: 'active' as const,
  approved_by: 'key_01jnh5w3x8e2m9v4q7t6z0y1ab',
  created_at: '2026-03-01T09:30:00.000Z',
  last_used_at: '2026-03-02T10:00:00.000Z',
  expires_at: '2026-04-01T09:30:00.000Z',
  revoked_at: null,
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
  access: 'full',
  project: null,
  expires_at: null,
  kind: 'user',
  user_prefix: null,
}

export const contradictionExample = {
  id: 'con_01jnh5w3x8e2m9v4q7t6z0y1ab',
  user_id: 'alice',
  project: null,
  status: 'applied',
  why: 'john works at: "acme" before, "globex" now.',
  reason: { slot: 'WORKS_AT|john', old_value: 'acme', new_value: 'globex', rule: 'contradicted' },
  part: null,
  old: {
    id: memoryExample.id,
    content: memoryExample.content,
    created_at: memoryExample.created_at,
    expires_at: null,
    superseded_at: '2026-03-02T10:00:00.000Z',
    superseded_by: 'mem_01jnh5w3x8e2m9v4q7t6z0y1ba',
  },
  new: {
    id: 'mem_01jnh5w3x8e2m9v4q7t6z0y1ba',
    content: 'John works at Globex',
    created_at: '2026-03-02T10:00:00.000Z',
    expires_at: null,
    superseded_at: null,
    superseded_by: null,
  },
  created_at: '2026-03-02T10:00:00.000Z',
  decided_at: null,
}

export const mergeExample = {
  id: 'mrg_01jnh5w3x8e2m9v4q7t6z0y1ab',
  user_id: 'alice',
  from: { id: 'ent_01jnh5w3x8e2m9v4q7t6z0y1af', name: 'Mel', type: 'PERSON' },
  into: { id: 'ent_01jnh5w3x8e2m9v4q7t6z0y1ag', name: 'Melanie', type: 'PERSON' },
  rule: 'short_form',
  why: 'Mel is a short form that fits only Melanie.',
  created_at: '2026-03-01T09:30:00.000Z',
  reverted_at: null,
  reverted_by: null,
}

export const eventExample = {
  id: '17-0',
  type: 'memory.stored',
  action: 'ADD',
  user_id: 'alice',
  memory_id: memoryExample.id,
  item: null,
  project: null,
  checksum: memoryExample.checksum,
  related_memory_ids: [],
  time: '2026-03-01T09:30:00.000Z',
}

export const webhookExample = {
  id: 'whk_01jnh5w3x8e2m9v4q7t6z0y1ag',
  user_id: 'alice',
  url: 'https://example.com/keepsake',
  events: ['memory.stored'],
  project: null,
  status: 'active',
  attempts: 0,
  next_attempt_at: null,
  last_attempt_at: null,
  last_success_at: null,
  last_status: null,
  last_error: null,
  dead_letters: 0,
  created_at: '2026-03-01T09:30:00.000Z',
  created_by: 'key_01jnh5w3x8e2m9v4q7t6z0y1ae',
}

export const profileExample = {
  user_id: 'alice',
  as_of: '2026-03-02T10:00:00.000Z',
  topics: [
    {
      topic: 'work',
      lines: [
        {
          text: 'I work at Acme Corp',
          memory_id: memoryExample.id,
          created_at: '2026-03-01T09:30:00.000Z',
          confidence: 0.93,
          subject: null,
        },
      ],
    },
  ],
  text: 'Work:\n- I work at Acme Corp',
  tokens: 9,
}

export const spaceExample = {
  id: 'spc_01jnh5w3x8e2m9v4q7t6z0y1ah',
  name: 'Team',
  role: 'owner',
  created_at: '2026-03-01T09:30:00.000Z',
} as const

export const itemExample = {
  namespace: 'users.42',
  key: 'settings',
  project: null,
  value: { theme: 'dark', language: 'en' },
  version: 7,
  trust_score: 1,
  flagged: false,
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  expires_at: null,
}
