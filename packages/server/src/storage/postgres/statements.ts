/**
 * The single statements of a migration. Citus sends the text of a whole message to its workers, so a change of a distributed table must
 * be a message of its own.
 */
const parts = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;'"$-]+|[$-]/g

export function statementsOf(sql: string): string[] {
  const statements = ['']
  for (const [part] of sql.matchAll(parts)) {
    if (part === ';') statements.push('')
    else if (!part.startsWith('--')) statements[statements.length - 1] += part
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
