/**
 * The front matter of a note: lines between two `---` at its beginning. Of YAML what notes use: scalars, lists in brackets and lists by
 * dashes. Anything deeper is kept as the text it is written in.
 */

export interface FrontMatter {
  readonly fields: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly body: string
}

export function frontMatterOf(text: string): FrontMatter {
  const match = /^---[ \t]*\n([\s\S]*?)\n?(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text)
  if (!match) return { fields: {}, body: text }
  const fields = new Map<string, string | number | boolean | string[]>()
  let key = ''
  for (const line of (match[1] ?? '').split('\n')) {
    const entry = /^([^\s#:][^:]*):(?:[ \t]+(.*)|)$/.exec(line)
    const item = /^[ \t]*-[ \t]+(.+)$/.exec(line)
    if (entry) {
      key = (entry[1] ?? '').trim()
      fields.set(key, scalarOf((entry[2] ?? '').trim()))
    } else if (item && key !== '') {
      const before = fields.get(key)
      fields.set(key, [...(Array.isArray(before) ? before : []), unquoted((item[1] ?? '').trim())])
    }
  }
  const told = [...fields].filter(([name, value]) => value !== '' && name !== '__proto__')
  return { fields: Object.fromEntries(told), body: text.slice(match[0].length) }
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
