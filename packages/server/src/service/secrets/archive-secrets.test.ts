import { expect, it } from 'vitest'
import { checksumOf, contentKey } from '../../core/memory.js'
import { secretSamples } from '../../guard/secrets/samples.fixture.js'
import { type PortableRecord, parsePortable } from '../../storage/ports/portable.js'
import { ArchiveSecrets } from './archive-secrets.js'

const token = secretSamples.find(({ kind }) => kind === 'GitHub token')?.secret ?? ''
const mark = '[redacted: GitHub token]'
const content = `Ana uses ${token} at home. Tom lives in Graz.`
const hiddenContent = `Ana uses ${mark} at home. Tom lives in Graz.`
const part = { start: content.indexOf('Tom'), end: content.length }
const vector = Buffer.from(Float32Array.of(1).buffer).toString('base64')

const memory = {
  record: 'memory',
  number: 1,
  id: 'mem_1',
  source: `from ${token}`,
  created_at: 1,
  current: 1,
  project: null,
  expires_at: null,
  content_key: contentKey(content),
  superseded_at: null,
  superseded_by: null,
  withdrawn: false,
  access_count: 0,
  last_accessed: null,
}
const version = {
  record: 'version',
  number: 1,
  memory: 1,
  version: 1,
  content,
  checksum: checksumOf(content),
  metadata: { password: 'swordfish', [token]: [token] },
  project: null,
  expires_at: null,
  trust_score: 1,
  flagged: false,
  valid_from: 1,
  valid_to: null,
  mentions: [{ entity: 1, position: 0, spellings: ['Ana', token] }],
  slots: [{ slot: 'token of Ana', value: token }],
  outdated: [{ ...part, since: 2, by: null }],
  embedding: { model: 'm', vector },
}
const others = [
  {
    record: 'entity',
    number: 1,
    id: 'ent_1',
    type: 'PRODUCT',
    name: token,
    name_key: token,
    merged_into: null,
    spellings: [{ spelling: token, spelling_key: token, uses: 1 }],
  },
  {
    record: 'document',
    id: 'doc_1',
    source: 'api',
    stored_at: 1,
    segments: [{ position: 0, text: content }],
    memories: [{ memory: 1, first_segment: 0, last_segment: 0 }],
  },
  {
    record: 'contradiction',
    id: 'con_1',
    old_memory: 1,
    new_memory: 1,
    old_version: 1,
    new_version: 1,
    status: 'open',
    why: token,
    reason: { said: token },
    created_at: 1,
    decided_at: null,
    part,
  },
  {
    record: 'entity_merge',
    id: 'mrg_1',
    entity: 1,
    into_entity: 2,
    rule: 'r',
    why: token,
    created_at: 1,
    reverted_at: null,
    reverted_by: null,
  },
  {
    record: 'relationship',
    id: 'rel_1',
    source: 1,
    target: 2,
    type: 'USES',
    valid_from: 1,
    valid_to: null,
    told_at: 1,
    exclusive: false,
    tellings: [{ version: 1, properties: { with: token }, exclusive: false, starts_at: null, ends_at: null }],
    ends: [],
  },
  {
    record: 'pending',
    user: 'ana',
    id: 'doc_2',
    project: null,
    payload: JSON.stringify({ input: { text: { content } } }),
  },
]
const kept = [
  {
    record: 'webhook',
    id: 'whk_1',
    user: 'ana',
    url: 'https://ana:s3cret-77@example.com/',
    types: [],
    project: null,
    secret: token,
    created_at: 1,
    created_by: null,
  },
  {
    record: 'key',
    id: 'key_1',
    user: 'ana',
    name: 'laptop',
    preview: 'ksk_…',
    hash: '$2b$10$abc',
    created_at: 1,
    last_used_at: null,
    revoked_at: null,
  },
]
const user = (id: string) => ({ record: 'user', id, numbers: 2, entities: 1, expiry_told: 0 })

function hidden(records: readonly object[]): { readonly records: PortableRecord[]; readonly secrets: ArchiveSecrets } {
  const all = records.map((record) => parsePortable(record))
  const secrets = new ArchiveSecrets()
  for (const record of all) secrets.survey(record)
  return { secrets, records: all.map((record) => secrets.hide(record)) }
}

it('removes secrets from every record that has texts of a user, and leaves valid records', () => {
  const { records, secrets } = hidden([user('ana'), memory, version, ...others])
  expect(JSON.stringify(records)).not.toContain(token)
  expect(JSON.stringify(records)).not.toContain('swordfish')
  for (const record of records) expect(() => parsePortable(record)).not.toThrow()
  expect(secrets.found.map(({ kind }) => kind).sort()).toEqual(['GitHub token', 'password'])
})

it('changes checksum, content key, vector and positions together with the content', () => {
  const { records } = hidden([user('ana'), memory, version, ...others])
  const moved = { start: hiddenContent.indexOf('Tom'), end: hiddenContent.length }
  expect(records[1]).toMatchObject({ content_key: contentKey(hiddenContent), source: `from ${mark}` })
  expect(records[2]).toMatchObject({
    content: hiddenContent,
    checksum: checksumOf(hiddenContent),
    embedding: null,
    outdated: [moved],
  })
  expect(records.find(({ record }) => record === 'contradiction')).toMatchObject({ part: moved })
})

it('leaves records without secrets, keys, webhooks and damaged contents as they are', () => {
  const clean = {
    ...version,
    content: 'Ana lives in Graz.',
    checksum: 'damaged',
    metadata: {},
    mentions: [],
    slots: [],
    outdated: undefined,
  }
  const damaged = { ...version, checksum: 'damaged' }
  const plain = JSON.parse(JSON.stringify([user('ana'), { ...memory, source: 'api' }, clean, ...kept]))
  expect(hidden(plain).records).toEqual(plain)
  expect(hidden([user('ana'), memory, damaged]).records[2]).toMatchObject({
    checksum: 'damaged',
    content: hiddenContent,
  })
})

it('does not confuse the versions of two users', () => {
  const clean = {
    ...version,
    content: 'Bob lives in Rome.',
    metadata: {},
    mentions: [],
    slots: [],
    outdated: undefined,
  }
  const { records } = hidden(
    JSON.parse(
      JSON.stringify([
        user('ana'),
        memory,
        version,
        user('bob'),
        { ...memory, source: 'api', content_key: 'k' },
        clean,
      ]),
    ),
  )
  expect(records[4]).toMatchObject({ content_key: 'k' })
  expect(records[5]).toMatchObject({ embedding: { vector } })
})
