/** Edits JSON with comments in place: everything that is not edited keeps its bytes. */

export class JsoncError extends Error {
  override readonly name = 'JsoncError'
}

interface Base {
  readonly start: number
  readonly end: number
}
interface Scalar extends Base {
  readonly kind: 'scalar'
  readonly value: unknown
}
interface List extends Base {
  readonly kind: 'array'
  readonly items: readonly Node[]
}
interface Property {
  readonly key: string
  readonly start: number
  readonly value: Node
}
interface Table extends Base {
  readonly kind: 'object'
  readonly properties: readonly Property[]
}
type Node = Scalar | List | Table

export type Path = readonly (string | number)[]

/** The value, without comments. An empty text is an empty object. */
export function readJsonc(text: string): unknown {
  return plain(parse(text))
}

/** Sets a property and creates the objects on the way. */
export function withValue(original: string, path: readonly string[], value: unknown): string {
  const text = skip(original, 0) === original.length ? `${original}{}\n` : original
  let node: Node = parse(text)
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'object') throw new JsoncError(`${path.slice(0, depth).join('.') || 'the file'} is not an object`)
    const found = propertyOf(node, key)
    if (found === undefined) {
      const rest = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
      return inserted(text, node, `${JSON.stringify(key)}: ${rendered(text, rest, levelOf(text, node) + 1)}`)
    }
    node = found.value
  }
  return text.slice(0, node.start) + rendered(text, value, levelOf(text, node)) + text.slice(node.end)
}

/** Appends an item to a list, which is created if it is missing. */
export function withItem(text: string, path: readonly string[], value: unknown): string {
  const list = nodeAt(parse(text), path)
  if (list === undefined) return withValue(text, path, [value])
  if (list.kind !== 'array') throw new JsoncError(`${path.join('.')} is not a list`)
  return inserted(text, list, rendered(text, value, levelOf(text, list) + 1))
}

/** Removes a property or an item, with its comma. Comments stay. */
export function without(text: string, path: Path): string {
  const last = path.at(-1)
  const parent = nodeAt(parse(text), path.slice(0, -1))
  if (parent === undefined || parent.kind === 'scalar' || last === undefined) return text
  const parts = partsOf(parent)
  const at = parent.kind === 'array' ? Number(last) : parent.properties.findLastIndex(({ key }) => key === last)
  const part = parts[at]
  if (part === undefined) return text
  const end = afterComma(text, part.end)
  const head = text.slice(0, part.start).trimEnd()
  const space = text.slice(head.length, part.start)
  const rest = text.slice(end)
  // The text before may be a comment up to the end of its line.
  const line = space.includes('\n') && !/^[ \t]*\r?\n/.test(rest) ? lineBreakOf(text) : ''
  const before = parts[at - 1]
  const isOnly = before === undefined && parts.length === 1
  if (isOnly && head.length === parent.start + 1 && rest.trimStart().length === text.length - parent.end + 1)
    return head + rest.trimStart()
  const isLast = parts[at + 1] === undefined
  if (!isLast || before === undefined || end !== part.end) return head + line + rest
  const comma = skip(text, before.end)
  return head.slice(0, comma) + head.slice(comma + 1) + line + rest
}

function partsOf(container: List | Table): readonly Base[] {
  if (container.kind === 'array') return container.items
  return container.properties.map(({ start, value }) => ({ start, end: value.end }))
}

/** The position after a comma, if one follows. */
function afterComma(text: string, at: number): number {
  const next = skip(text, at)
  return text[next] === ',' ? next + 1 : at
}

function inserted(text: string, container: List | Table, entry: string): string {
  const parts = partsOf(container)
  const level = levelOf(text, container)
  const [outer, inner] = [indentOf(text).repeat(level), indentOf(text).repeat(level + 1)]
  const line = lineBreakOf(text)
  const last = parts.at(-1)
  if (last === undefined) {
    const content = text.slice(container.start + 1, container.end - 1)
    const kept = content.trim() === '' ? '' : content.trimEnd()
    return `${text.slice(0, container.start + 1)}${kept}${line}${inner}${entry}${line}${outer}${text.slice(container.end - 1)}`
  }
  const isOneLine = !text.slice(container.start, container.end).includes('\n')
  const comma = afterComma(text, last.end)
  const hasComma = comma !== last.end
  const at = hasComma ? comma : last.end
  // A comment behind the last entry stays on its line.
  const rest = text.slice(at, container.end - 1)
  const remark = /^[ \t]*\/\/[^\r\n]*/.exec(rest)?.[0] ?? /^[ \t]*\/\*[^*\r\n]*\*\//.exec(rest)?.[0] ?? ''
  const space = isOneLine ? ' ' : `${line}${inner}`
  return `${text.slice(0, at)}${hasComma ? '' : ','}${remark}${space}${entry}${hasComma && !isOneLine ? ',' : ''}${text.slice(at + remark.length)}`
}

function rendered(text: string, value: unknown, level: number): string {
  const indent = indentOf(text)
  const lines = JSON.stringify(value, undefined, indent).split('\n')
  return lines.join(`${lineBreakOf(text)}${indent.repeat(level)}`)
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** The first indented line tells the unit. */
function indentOf(text: string): string {
  return /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  '
}

/** How deep a container is, by counting the brackets that are open before it. */
function levelOf(text: string, target: Base): number {
  const walk = (node: Node, level: number): number | undefined => {
    if (node.start === target.start && node.end === target.end) return level
    const inner = node.kind === 'array' ? node.items : node.kind === 'object' ? node.properties.map((p) => p.value) : []
    for (const each of inner) {
      if (each.start <= target.start && each.end >= target.end) return walk(each, level + 1)
    }
    return undefined
  }
  return walk(parse(text), 0) ?? 0
}

function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root
  for (const key of path) {
    if (node?.kind === 'array') node = node.items[Number(key)]
    else if (node?.kind === 'object') node = propertyOf(node, String(key))?.value
    else return undefined
  }
  return node
}

/** The last of equal keys counts, as in JSON.parse. */
function propertyOf({ properties }: Table, key: string): Property | undefined {
  return properties.findLast((property) => property.key === key)
}

function plain(node: Node): unknown {
  if (node.kind === 'array') return node.items.map(plain)
  if (node.kind === 'scalar') return node.value
  return Object.fromEntries(node.properties.map(({ key, value }) => [key, plain(value)]))
}

/* ------------------------------------------------------------------ reading */

const maxDepth = 200

function parse(text: string): Node {
  const start = skip(text, 0)
  if (start === text.length) return { kind: 'object', start: 0, end: 0, properties: [] }
  const node = read(text, start, 0)
  const end = skip(text, node.end)
  if (end !== text.length) throw wrong(text, end)
  return node
}

function read(text: string, at: number, depth: number): Node {
  if (depth > maxDepth) throw new JsoncError(`nested deeper than ${maxDepth} levels`)
  if (text[at] === '{') return readTable(text, at, depth)
  if (text[at] === '[') return readList(text, at, depth)
  return readScalar(text, at)
}

function readTable(text: string, start: number, depth: number): Table {
  const properties: Property[] = []
  let at = skip(text, start + 1)
  while (text[at] !== '}') {
    if (text[at] !== '"') throw wrong(text, at)
    const key = readScalar(text, at)
    const colon = skip(text, key.end)
    if (text[colon] !== ':') throw wrong(text, colon)
    const value = read(text, skip(text, colon + 1), depth + 1)
    properties.push({ key: String(key.value), start: at, value })
    at = afterEntry(text, value.end, '}')
  }
  return { kind: 'object', start, end: at + 1, properties }
}

function readList(text: string, start: number, depth: number): List {
  const items: Node[] = []
  let at = skip(text, start + 1)
  while (text[at] !== ']') {
    const item = read(text, at, depth + 1)
    items.push(item)
    at = afterEntry(text, item.end, ']')
  }
  return { kind: 'array', start, end: at + 1, items }
}

/** A comma, or the end. A comma before the end is common in these files. */
function afterEntry(text: string, from: number, end: string): number {
  const at = skip(text, from)
  if (text[at] === end) return at
  if (text[at] !== ',') throw wrong(text, at)
  return skip(text, at + 1)
}

function readScalar(text: string, start: number): Scalar {
  const pattern = text[start] === '"' ? /"(?:[^"\\\r\n]|\\.)*"/y : /[-+.\w]+/y
  pattern.lastIndex = start
  const [found] = pattern.exec(text) ?? []
  if (found === undefined) throw wrong(text, start)
  try {
    return { kind: 'scalar', start, end: start + found.length, value: JSON.parse(found) }
  } catch {
    throw wrong(text, start)
  }
}

/** Skips white space, comments and a byte order mark. */
function skip(text: string, from: number): number {
  let at = from
  for (;;) {
    if (/[\s\uFEFF]/.test(text[at] ?? '')) at += 1
    else if (text.startsWith('//', at)) at = endOr(text, text.indexOf('\n', at), 1)
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end === -1) throw wrong(text, at)
      at = end + 2
    } else return at
  }
}

function endOr(text: string, at: number, more: number): number {
  return at === -1 ? text.length : at + more
}

/** Says where, but does not quote: the file may hold secrets. */
function wrong(text: string, at: number): JsoncError {
  const line = text.slice(0, at).split('\n').length
  return new JsoncError(at >= text.length ? 'it ends too early' : `line ${line} is not valid JSON`)
}
