import type { Dialect } from '../dialect.js'

/**
 * One page of the rows that `shown` selects, each with the total and with its user's external id, in one pass. An empty page has
 * one row without a key. Rows whose "lastSeen" is null are left out. Bind the limit and the offset last.
 */
export function paged({ userId }: Dialect, shown: string, order: string): string {
  return `WITH shown AS MATERIALIZED (${shown})
    SELECT counted.total, page.*, ${userId('page')} AS "userId"
    FROM (SELECT count("lastSeen") AS total FROM shown) counted
      LEFT JOIN (SELECT * FROM shown WHERE "lastSeen" IS NOT NULL ORDER BY ${order} LIMIT ? OFFSET ?) page ON TRUE
    ORDER BY ${order}`
}

/** The rows of a page, without the placeholder row of an empty one. */
export function pageOf<Row extends { readonly key: number }>(
  rows: readonly (Row & { readonly total: number })[],
): { rows: Row[]; total: number } {
  return { rows: rows.filter(({ key }) => key !== null), total: rows[0]?.total ?? 0 }
}
