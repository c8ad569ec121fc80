import type { ColumnType, Dialect } from './dialect.js'

/**
 * Where an INSERT of bound rows takes them from: `own.user_id` is the user. Read from the user's own row and not bound, because Citus
 * then sees that the rows stay with their user, and inserts on that user's worker.
 */
export function ownRows(
  { rows }: Pick<Dialect, 'rows'>,
  alias: string,
  columns: Readonly<Record<string, ColumnType>>,
): string {
  return `users own CROSS JOIN ${rows(alias, columns)} WHERE own.user_id = @user`
}
