/**
 * Turns a filter into a condition on the tables `v` (versions) and `m` (memories). No condition is ever NULL, so that NOT inverts
 * it, and every value and key is bound.
 */
import { nameKey } from '../../core/entity.js'
import type { Comparison, Filter, MetadataCondition, Test } from '../../core/filter.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Condition, Dialect } from './dialect.js'
import type { Session, Value } from './session.js'
import { ofAnyShape } from './statement.js'
import { usersIn } from './user-data.js'

export interface BoundCondition {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Null: nothing can meet it, because the scope is empty. `metadata`: the column that conditions on metadata look at. */
export async function filterCondition(
  session: Session,
  scope: Scope,
  filter: Filter,
  metadata: 'v.metadata' | 'i.value' = 'v.metadata',
): Promise<BoundCondition | null> {
  const byId = await usersIn(session, scope, 'w')
  const bySpelling = await usersIn(session, scope, 's')
  const byPart = await usersIn(session, scope, 'part')
  const byMention = await usersIn(session, scope, 'n')
  if (!byId || !bySpelling || !byPart || !byMention) return null
  const users = { byId, bySpelling, byPart, byMention }
  const { sql, values } = new Compiler(session.dialect, users, metadata).condition(filter)
  return { sql: `${ofAnyShape} ${sql}`, values }
}

const signs: Readonly<Record<Comparison, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }
const never: BoundCondition = { sql: 'FALSE', values: [] }

class Compiler {
  constructor(
    private readonly dialect: Dialect,
    /** The scope's users, for each table: Citus finds the worker of a statement only if each of them names the user. */
    private readonly users: Readonly<Record<'byId' | 'bySpelling' | 'byPart' | 'byMention', Condition>>,
    private readonly metadata: string,
  ) {}

  condition(filter: Filter): BoundCondition {
    switch (filter.field) {
      case 'and':
      case 'or':
        return joined(
          filter.parts.map((part) => this.condition(part)),
          filter.field === 'and' ? ' AND ' : ' OR ',
        )
      case 'not': {
        const { sql, values } = this.condition(filter.part)
        return { sql: `NOT ${sql}`, values }
      }
      case 'metadata':
        return this.#metadata(filter)
      case 'project':
        return this.#texts('v.project', filter.test.values)
      case 'source':
        return this.#texts('m.source', filter.test.values)
      case 'entity':
        return filter.test.op === 'exists' ? mentionsAny : this.#entity(filter.test.values)
      case 'eventTime':
        return eventTime(filter.test)
      case 'createdAt':
        return this.#numbers('m.created_at', 'bigint', filter.test)
      case 'trustScore':
        return this.#numbers('v.trust_score', 'double precision', filter.test)
    }
  }

  #metadata({ path, test }: MetadataCondition): BoundCondition {
    if (!path.every(isStorable)) return never
    const { values: own, found } = this.dialect.jsonAt(this.metadata, path.length)
    if (test.op === 'exists') return { sql: `EXISTS (SELECT 1 FROM ${found})`, values: path }
    if (test.op === 'in') {
      const wanted = test.values.filter((value) => typeof value !== 'string' || isStorable(value))
      return {
        sql: `EXISTS (SELECT 1 FROM ${own} WHERE ${this.dialect.jsonAmong})`,
        values: [...path, JSON.stringify(wanted)],
      }
    }
    const [sign, isNumber] = [signs[test.op], typeof test.value === 'number']
    const compares = isNumber ? this.dialect.jsonNumber(sign) : this.dialect.jsonString(sign)
    return {
      sql: `EXISTS (SELECT 1 FROM ${own} WHERE ${compares})`,
      // A number as JSON, like the number it is compared with: a long one is rounded in the same way.
      values: [...path, isNumber ? JSON.stringify(test.value) : test.value],
    }
  }

  #texts(column: string, wanted: readonly (string | null)[]): BoundCondition {
    const texts = wanted.filter((text) => text !== null && isStorable(text))
    const isAmong = `coalesce(${this.dialect.among(column, 'text')}, FALSE)`
    const orNull = wanted.includes(null) ? ` OR ${column} IS NULL` : ''
    return { sql: `(${isAmong}${orNull})`, values: [texts as string[]] }
  }

  #numbers(column: string, type: 'bigint' | 'double precision', test: Test<number>): BoundCondition {
    const compared = (sign: string) => `${column} ${sign} CAST(? AS ${type})`
    if (test.op !== 'in') return { sql: compared(signs[test.op]), values: [test.value] }
    // Bound one by one: SQLite would read the numbers of a list from text, and may round them differently.
    return { sql: `(${test.values.map(() => compared('=')).join(' OR ')})`, values: test.values }
  }

  /** Mentions one of them under any name: all parts of a merged entity count. */
  #entity(idsOrNames: readonly string[]): BoundCondition {
    const { among } = this.dialect
    const asked = idsOrNames.filter(isStorable)
    const { byId, bySpelling, byPart, byMention } = this.users
    return {
      sql: `(v.user_id, v.row) IN (WITH roots (owner, key) AS (
          SELECT w.user_id, coalesce(w.merged_into, w.key) FROM entities w WHERE ${byId.sql} AND ${among('w.id', 'text')}
          UNION SELECT s.user_id, coalesce(w.merged_into, w.key) FROM entity_spellings s CROSS JOIN entities w
            WHERE ${bySpelling.sql} AND ${among('s.spelling_key', 'text')} AND w.user_id = s.user_id AND w.key = s.entity),
        named (owner, key) AS (SELECT owner, key FROM roots
          UNION SELECT roots.owner, part.key FROM roots CROSS JOIN entities part
            WHERE ${byPart.sql} AND part.user_id = roots.owner AND part.merged_into = roots.key)
        SELECT n.user_id, n.version FROM named CROSS JOIN mentions n
          WHERE ${byMention.sql} AND n.user_id = named.owner AND n.entity = named.key)`,
      values: [...byId.values, asked, ...bySpelling.values, asked.map(nameKey), ...byPart.values, ...byMention.values],
    }
  }
}

function eventTime(test: Extract<Filter, { field: 'eventTime' }>['test']): BoundCondition {
  if (test.op === 'exists') return { sql: 'v.event_from IS NOT NULL', values: [] }
  const moment = test.op === 'gt' || test.op === 'gte' ? 'v.event_to - 1' : 'v.event_from'
  return { sql: `coalesce(${moment}, m.created_at) ${signs[test.op]} CAST(? AS bigint)`, values: [test.value] }
}

const mentionsAny: BoundCondition = {
  sql: 'EXISTS (SELECT 1 FROM mentions n WHERE n.user_id = v.user_id AND n.version = v.row)',
  values: [],
}

function joined(parts: readonly BoundCondition[], word: ' AND ' | ' OR '): BoundCondition {
  return { sql: `(${parts.map(({ sql }) => sql).join(word)})`, values: parts.flatMap(({ values }) => values) }
}
