import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Filter } from '../../core/filter.js'
import { everyoneScope, userScope } from '../../core/scope.js'
import { turn } from '../contract/conversations.js'
import { newItem } from '../contract/items.js'
import { Drafts, start } from '../contract/notebook.js'
import { dropConversations, emptyConversations, lastTurns } from '../sql/conversations/conversations.js'
import { graph } from '../sql/entities/graph.js'
import { listEntities } from '../sql/entities/read-entities.js'
import { usersToTellOfExpiry } from '../sql/events/events.js'
import { bestFacts, unreadContents } from '../sql/facts/read-facts.js'
import { writeFacts } from '../sql/facts/write-facts.js'
import { matching } from '../sql/index/match.js'
import { eraseItemChunk, removeItem } from '../sql/items/erase-items.js'
import { countOutdatedItems, itemChanges, outdatedItems } from '../sql/items/item-feed.js'
import { putItem } from '../sql/items/put-item.js'
import {
  findItem,
  hydrateItems,
  itemVersions,
  listItems,
  listNamespaces,
  matchingItems,
  newestItems,
} from '../sql/items/read-items.js'
import { commit } from '../sql/memories/commit.js'
import { eraseChunk, findErasable, forgetNamed } from '../sql/memories/forget.js'
import { history, provenance } from '../sql/memories/history.js'
import { list } from '../sql/memories/list.js'
import { find, recognise } from '../sql/memories/read-memories.js'
import { update } from '../sql/memories/update.js'
import { relationships } from '../sql/relationships/read-relationships.js'
import type { Session } from '../sql/session.js'
import { leaveSpaces, listMembers, removeMember, setMember } from '../sql/spaces/members.js'
import { closeSpace, createSpace, dropSpace, findSpace, listSpaces, renameSpace, roleIn } from '../sql/spaces/spaces.js'
import { packedConnected } from './connected.js'
import { Database, type Value } from './database.js'
import { packedChanges } from './feed.js'
import { packedVersions } from './hydrate.js'
import { migrate, migrations } from './migrate.js'
import { SqliteSession } from './session.js'

class RecordingDatabase extends Database {
  readonly texts = new Set<string>()

  override get<Row>(sql: string, ...values: Value[]): Row | undefined {
    this.texts.add(sql)
    return super.get(sql, ...values)
  }

  override all<Row>(sql: string, ...values: Value[]): Row[] {
    this.texts.add(sql)
    return super.all(sql, ...values)
  }

  override run(sql: string, ...values: Value[]): number {
    this.texts.add(sql)
    return super.run(sql, ...values)
  }

  override iterate<Row extends readonly Value[]>(sql: string, ...values: Value[]): IterableIterator<Row> {
    this.texts.add(sql)
    return super.iterate(sql, ...values)
  }
}

/** They grow with the number of users: a statement about one user must never read all of one. */
const large = [
  'users',
  'memories',
  'versions',
  'vectors',
  'vectors_quantized',
  'tombstones',
  'entities',
  'entity_spellings',
  'mentions',
  'relationships',
  'relationship_sources',
  'slots',
  'facts',
  'documents',
  'segments',
  'memory_sources',
  'contradictions',
  'events',
  'answers',
  'conversations',
  'spaces',
  'memberships',
  'items',
]

const everyField = {
  field: 'and',
  parts: [
    { field: 'metadata', path: ['a', 'b'], test: { op: 'in', values: [1] } },
    { field: 'metadata', path: ['a'], test: { op: 'gt', value: 1 } },
    { field: 'entity', test: { op: 'in', values: ['John'] } },
    { field: 'not', part: { field: 'entity', test: { op: 'exists' } } },
    { field: 'project', test: { op: 'in', values: ['p', null] } },
    { field: 'source', test: { op: 'in', values: ['api'] } },
    { field: 'createdAt', test: { op: 'gte', value: start } },
    { field: 'eventTime', test: { op: 'lt', value: start } },
    { field: 'trustScore', test: { op: 'in', values: [1] } },
  ],
} as const satisfies Filter

describe('the plans of SQLite', () => {
  const alice = userScope('alice')
  const drafts = new Drafts()
  let directory = ''
  let db: RecordingDatabase
  let session: SqliteSession

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-plans-'))
    const path = join(directory, 'keepsake.db')
    const first = new Database(path)
    migrate(first, migrations, path)
    first.close()
    // A connection reads the statistics when it opens.
    db = new RecordingDatabase(path)
    session = new SqliteSession(db)
  })
  afterEach(() => {
    db.close()
    rmSync(directory, { recursive: true })
  })

  /** Tables that a statement reads from beginning to end. */
  function scannedBy(sql: string): string[] {
    const plan = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    return plan.flatMap(({ detail }) => {
      const name = /^SCAN (\w+)/.exec(detail)?.[1]
      const table = large.find(
        (each) => each === name || new RegExp(`\\b${each}\\s+(?:AS\\s+)?${name}\\b`, 'i').test(sql),
      )
      return name !== undefined && table !== undefined ? [`${detail}: ${sql}`] : []
    })
  }

  async function scansIn(work: (session: Session) => Promise<unknown>): Promise<string[]> {
    db.texts.clear()
    await work(session)
    return [...db.texts].flatMap(scannedBy)
  }

  it('never read a whole table for one user', async () => {
    const memory = drafts.memory({ content: 'John works at Acme' })
    const conversation = { project: null, name: 'c', turns: [turn('I am John')], continues: true }
    const store = drafts.storeCommit({ expectedRevision: 0, memories: [memory], conversation })
    const at = { now: start }
    expect(
      await scansIn(async () => {
        await recognise(session, alice, { now: start, project: null, contentKeys: ['a'], slots: ['b'] })
        await lastTurns(session, alice, 'c', 0)
        await commit(session, alice, store)
        await recognise(session, alice, { now: start, project: null, contentKeys: ['a'], slots: ['b'] })
        await find(session, alice, memory.id, at)
        await history(session, alice, memory.id, { after: 0, limit: 9 })
        await provenance(session, alice, memory.id, { after: 0, limit: 9 })
        await list(session, alice, { ...at, limit: 10 })
        await listEntities(session, alice, { ...at, limit: 10, offset: 0 })
        await graph(session, alice, { ...at, limit: 10 })
        await relationships(session, alice, 'ent_1', at)
        await packedChanges(session, alice, { revision: 0, row: 0 }, 10)
        await packedVersions(session, alice, [2 ** 28 + 1], { vectors: true })
        await packedConnected(session, alice, ['john'], 10)
        await matching(session, alice, { entity: 'John' })
        await matching(session, alice, { filter: everyField })
        await list(session, alice, { ...at, limit: 10, filter: everyField })
        await list(session, alice, { ...at, limit: 10, filter: everyField, asOf: start })
        const query = { ...at, topics: ['work' as const], leastConfidence: 0.5, leastTrust: 0.8, limit: 10 }
        await bestFacts(session, alice, query)
        await bestFacts(session, alice, { ...query, asOf: start })
        await unreadContents(session, alice, 'model', 0, 10)
        await writeFacts(session, alice, 'model', [{ row: 2 ** 28, facts: [] }], true)
        await update(session, alice, memory.id, { now: start, project: 'p' })
        await findErasable(session, alice, {})
        await findErasable(session, alice, { filter: everyField })
        await findErasable(session, alice, { expiredAt: start })
        await eraseChunk(session, alice, [1], {}, { at: start, action: 'FORGET' })
        await eraseChunk(session, alice, [1], { filter: everyField }, { at: start, action: 'FORGET' })
        await forgetNamed(session, alice, [memory.id], start)
        await emptyConversations(session, alice)
        await dropConversations(session, everyoneScope(), start)
      }),
    ).toEqual([])
  })

  it('never read a whole table for the items of one user', async () => {
    const item = newItem({ expiresAt: start + 1 })
    const page = { now: start, limit: 9, below: { prefix: 'a' }, includeFlagged: false, filter: everyField.parts[0] }
    expect(
      await scansIn(async () => {
        await putItem(session, alice, item)
        await putItem(session, alice, { ...item, value: 'other' })
        await findItem(session, alice, item, { now: start, asOf: start })
        await itemVersions(session, alice, item, start)
        await listItems(session, alice, { ...page, after: item })
        await listNamespaces(session, alice, { now: start, limit: 9, prefix: 'a', after: 'a' })
        await newestItems(session, alice, { ...page, offset: 0 })
        await matchingItems(session, alice, page)
        await hydrateItems(session, alice, [2 ** 28])
        await itemChanges(session, alice, { revision: 0, row: 0 }, 10)
        await countOutdatedItems(session, alice, 'model')
        await outdatedItems(session, alice, 'model', null, 10)
        await eraseItemChunk(session, alice, { below: { prefix: 'a' }, project: '' }, start)
        await eraseItemChunk(session, alice, { expiredAt: start + 1 }, start)
        await eraseItemChunk(session, alice, { project: 'p' }, start)
        await removeItem(session, alice, item, { now: start })
      }),
    ).toEqual([])
  })

  it('never read a whole table for one space or one member', async () => {
    const id = drafts.id('spc')
    const space = userScope(id)
    const page = { limit: 9, offset: 0 }
    const member = { userId: 'bob', role: 'reader', joinedAt: start } as const
    expect(
      await scansIn(async () => {
        await createSpace(session, alice, { id, name: 'Team', createdAt: start }, 9)
        await roleIn(session, alice, id)
        await listSpaces(session, alice, page)
        await findSpace(session, space)
        await renameSpace(session, space, 'other')
        await commit(session, space, drafts.storeCommit({ expectedRevision: 0, memories: [] }))
        await setMember(session, space, member, { most: 9, onlyIfOwnerless: false })
        await listMembers(session, space, page)
        await removeMember(session, space, 'bob')
        await leaveSpaces(session, alice)
        await closeSpace(session, space, 'alice')
        await dropSpace(session, space)
      }),
    ).toEqual([])
  })

  it('find what has just expired by its index, however many users there are', async () => {
    expect(await scansIn(() => usersToTellOfExpiry(session, everyoneScope(), start, start + 1_000))).toEqual([])
  })
})
