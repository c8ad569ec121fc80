/**
 * Writes JSON values as YAML 1.2 for people to read. Only unambiguous text goes without quotes. Everything else is written as JSON,
 * which is valid YAML with the same meaning.
 */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** Words that begin with a letter, without a colon, hash or other character that is special in YAML. */
const plain = /^[A-Za-z](?:[A-Za-z0-9_./()-]| (?! |$)){0,200}$/
/** Words that some YAML reader, including readers of old versions, takes for a boolean or null. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i

export function yamlText(value: JsonValue): string {
  return `${block(value, 0).trimStart()}\n`
}

/** Starts with a space and a scalar, or with a line feed and lines that are indented `depth` times. */
function block(value: JsonValue, depth: number): string {
  if (typeof value === 'string') return ` ${scalar(value)}`
  if (typeof value !== 'object' || value === null) return ` ${JSON.stringify(value)}`
  const start = `\n${'  '.repeat(depth)}`
  if (isList(value)) {
    if (value.length === 0) return ' []'
    return value.map((item) => `${start}-${block(item, depth + 1)}`).join('')
  }
  const members = Object.entries(value)
  if (members.length === 0) return ' {}'
  return members.map(([name, member]) => `${start}${scalar(name)}:${block(member, depth + 1)}`).join('')
}

function scalar(text: string): string {
  return plain.test(text) && !reserved.test(text) ? text : JSON.stringify(text)
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value)
}
