/** Values of columns that the drivers hand over in their own form. */

/** A column of type `text[]`: PostgreSQL's driver reads it, SQLite keeps it as JSON. */
export type TextsColumn = string | readonly string[]

export function textsOf(column: TextsColumn): readonly string[] {
  // Written by `send` with an array, which the SQLite session binds as JSON.
  return typeof column === 'string' ? (JSON.parse(column) as string[]) : column
}

/** A column of type `boolean`: SQLite has 0 and 1. */
export type FlagColumn = boolean | 0 | 1
