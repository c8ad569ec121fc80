/** Adds a marked table to a TOML file and removes it again. The rest of the file is not touched. */

const begin = '# >>> keepsake install'
const end = '# <<< keepsake install'

export function withTable(text: string, table: string, lines: readonly string[]): string {
  const clean = withoutTable(text)
  const gap = clean === '' ? '' : clean.endsWith('\n') ? '\n' : '\n\n'
  return `${clean}${gap}${[begin, `[${table}]`, ...lines, end].join('\n')}\n`
}

export function withoutTable(text: string): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from === -1 || to === -1) return text
  const head = text.slice(0, from)
  const tail = text.slice(to + end.length).replace(/^\r?\n/, '')
  return (head.endsWith('\n\n') && tail === '' ? head.slice(0, -1) : head) + tail
}

/** Whether the file has the table apart from ours. */
export function hasTable(text: string, table: string): boolean {
  return withoutTable(text)
    .split(/\r?\n/)
    .some((line) => line.replaceAll(/["'\s]/g, '').startsWith(`[${table}]`))
}

/** Whether the key is set in a way that forbids tables below it. */
export function isInline(text: string, key: string): boolean {
  return withoutTable(text)
    .split(/\r?\n/)
    .some((line) => line.replaceAll(/["'\s]/g, '').startsWith(`${key}=`))
}

export function tomlString(value: string): string {
  // A JSON string is a TOML basic string, except for the one control character that JSON does not escape.
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
