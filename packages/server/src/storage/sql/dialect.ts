/** The few places where SQLite and PostgreSQL spell the same statement differently. Each method returns a piece of SQL. */

export type ColumnType = 'bigint' | 'double precision' | 'boolean' | 'text' | 'text[]' | 'json'

/** A condition of a statement, with `?` for its values. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export interface Dialect {
  /** The column equals one of the elements of one bound array. */
  among(column: string, type: 'bigint' | 'text'): string
  /**
   * One bound text, made by `JSON.stringify` from an array of objects, as a table: `rows('wanted', { slot: 'text' })`. Rows come in
   * no promised order: where order matters, give them a column that says it.
   */
  rows(alias: string, columns: Readonly<Record<string, ColumnType>>): string
  /** The elements of a column of type `text[]` as a table with the one column `value`. */
  elements(column: string, alias: string): string
  /** A bound value (`?`) for a column of type `json`: the text of the JSON. */
  readonly jsonValue: string
  /** A column of type `json` as text, ready for `JSON.parse`. */
  jsonText(column: string): string
  /** The column, JSON of an object, has every key and value of a bound JSON object. May let some through that do not match. */
  metadataHolds(column: string): string
  /** The function that gives the larger of two numbers. On SQLite it gives NULL where one of them is NULL: coalesce first. */
  readonly greatest: 'max' | 'greatest'
  /** The smaller of two numbers, likewise. */
  readonly least: 'min' | 'least'
  /** The column matches a bound pattern of plain ASCII, ignoring case; `\\` escapes. */
  matchesAscii(column: string): string
  /** The column, in lower case, contains a bound text that is in lower case already. */
  containsFolded(column: string): string
  /** The user id, as callers know it, of a row in the table with this alias. */
  userId(alias: string): string
  /** The same of a row of `users`, as a column that is indexed. */
  idOfUser(usersAlias: string): string
  /** The tables `versions v` and `memories m`, joined, for reading a few given versions. */
  readonly versionsWithMemories: string
  /** Ends a SELECT that locks what it finds until the transaction ends. SQLite has one writer: nothing to lock. */
  readonly forUpdate: string
  /** The same, without holding up inserts that only refer to the rows. */
  readonly forNoKeyUpdate: string
  /** The same for one table, leaving out rows that another transaction holds. */
  skipLockedOf(alias: string): string
}
