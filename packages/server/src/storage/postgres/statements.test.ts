import { describe, expect, it } from 'vitest'
import { layoutOf } from './layout.js'
import { migrations } from './migrate.js'
import { statementsOf } from './statements.js'

describe('the statements of a migration', () => {
  it('end at a semicolon that is not part of a text, a name, a comment or a body', () => {
    const sql = `CREATE TABLE "a;b" (x text DEFAULT 'it''s; one'); -- not; here
CREATE PROCEDURE p() AS $body$ BEGIN; END; $body$;
SELECT 1 - 2, $1;;`
    expect(statementsOf(sql)).toEqual([
      `CREATE TABLE "a;b" (x text DEFAULT 'it''s; one')`,
      'CREATE PROCEDURE p() AS $body$ BEGIN; END; $body$',
      'SELECT 1 - 2, $1',
    ])
  })

  it('each begin with the verb of a statement', () => {
    for (const { version, sql } of migrations) {
      for (const statement of statementsOf(sql(layoutOf(2)))) {
        expect(`${version}: ${statement}`).toMatch(/^\d+: (CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|SELECT) /)
      }
    }
  })
})
