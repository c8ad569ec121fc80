/**
 * The front matter of a note: the lines between two `---` at its beginning. Supports the subset of YAML that notes use: scalars,
 * lists in brackets and lists with dashes. Anything nested deeper is kept as plain text.
 */

export interface FrontMatter {
  readonly fields: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly body: string
}

export function frontMatterOf(text: string): FrontMatter {
  const lines = text.split('\n')
  const end = lines.findIndex((line, at) => at > 0 && ['---', '...'].includes(line.trimEnd()))
  if (lines[0]?.trimEnd() !== '---' || end === -1) return { fields: {}, body: text }
  const fields = new Map<string, string | number | boolean | string[]>()
  let key = ''
  for (const line of lines.slice(1, end)) {
    const item = line.trim()
    const entry = entryOf(line)
    if (entry) {
      key = entry.key
      fields.set(key, scalarOf(entry.value))
    } else if (item.startsWith('- ') && key !== '') {
      const before = fields.get(key)
      fields.set(key, [...(Array.isArray(before) ? before : []), unquoted(item.slice(2).trim())])
    }
  }
  const told = [...fields].filter(([name, value]) => value !== '' && name !== '__proto__')
  return { fields: Object.fromEntries(told), body: lines.slice(end + 1).join('\n') }
}

/** `key: value` without indentation. */
function entryOf(line: string): { readonly key: string; readonly value: string } | undefined {
  const colon = line.indexOf(':')
  if (colon < 1 || /^[\s#-]/.test(line) || !/^(?:\s|$)/.test(line.slice(colon + 1, colon + 2))) return undefined
  return { key: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }
}

function scalarOf(text: string): string | number | boolean | string[] {
  const list = /^\[(.*)\]$/.exec(text)
  // `[[Rome]]` is a link to another note.
  if (list && !text.startsWith('[[')) {
    return (list[1] ?? '')
      .split(',')
      .map((item) => unquoted(item.trim()))
      .filter((item) => item !== '')
  }
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : unquoted(text)
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
}
