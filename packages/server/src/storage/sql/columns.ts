/** Column values that the drivers return in different forms. */

/** A column of type `text[]`: PostgreSQL's driver returns a list, SQLite stores it as JSON. */
export type TextsColumn = string | readonly string[]

export function textsOf(column: TextsColumn): readonly string[] {
  // `send` wrote it from an array, which the SQLite session binds as JSON.
  return typeof column === 'string' ? (JSON.parse(column) as string[]) : column
}

/** A column of type `boolean`: SQLite stores 0 and 1. */
export type FlagColumn = boolean | 0 | 1
