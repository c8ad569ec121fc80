/**
 * The few places where SQLite and PostgreSQL need different SQL for the same statement. Each method returns a fragment of SQL.
 */

export type ColumnType = 'bigint' | 'double precision' | 'boolean' | 'text' | 'text[]' | 'json'

/** A condition in a statement, with `?` for each value. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export interface Dialect {
  /** The column equals an element of a bound array. */
  among(column: string, type: 'bigint' | 'text'): string
  /**
   * A table made from one bound text, the `JSON.stringify` of an array of objects: `rows('wanted', { slot: 'text' })`. The order
   * of its rows is undefined: where order matters, add a column for it.
   */
  rows(alias: string, columns: Readonly<Record<string, ColumnType>>): string
  /** The elements of a `text[]` column as a table with one column, `value`. */
  elements(column: string, alias: string): string
  /** A bound value (`?`) for a `json` column: the JSON text. */
  readonly jsonValue: string
  /** A `json` column as text, ready for `JSON.parse`. */
  jsonText(column: string): string
  /** The column, a JSON object, has every key and value of a bound JSON object. May also accept rows that do not match. */
  metadataHolds(column: string): string
  /**
   * The value in a JSON column at a path of that many bound keys, for EXISTS. `found` has one row if there is such a value; it ends in
   * a WHERE. `values` is a table `own` of the value or, if it is a list, of its elements.
   */
  jsonAt(column: string, keys: number): { readonly found: string; readonly values: string }
  /** A row of `own` equals an element of a bound JSON list of scalars. */
  readonly jsonAmong: string
  /** A row of `own` is a number that compares so with a bound number as JSON. */
  jsonNumber(sign: string): string
  /** A row of `own` is a text that compares so with a bound text. */
  jsonString(sign: string): string
  /** The function that returns the larger of two numbers. On SQLite it returns NULL if one of them is NULL: coalesce first. */
  readonly greatest: 'max' | 'greatest'
  /** The same for the smaller of two numbers. */
  readonly least: 'min' | 'least'
  /** The column matches a bound pattern of plain ASCII, ignoring case; `\\` escapes. */
  matchesAscii(column: string): string
  /** The lower-cased column contains a bound text that is already in lower case. */
  containsFolded(column: string): string
  /** The external user id of a row in the table with this alias. */
  userId(alias: string): string
  /** The external user id of a row of `users`, as an indexed column. */
  idOfUser(usersAlias: string): string
  /** The tables `versions v` and `memories m`, joined, for reading a few given versions. */
  readonly versionsWithMemories: string
  /** Ends a SELECT that locks the selected rows until the transaction ends. SQLite has one writer and locks nothing. */
  readonly forUpdate: string
  /** The same, without holding up inserts that only refer to the rows. */
  readonly forNoKeyUpdate: string
}
