/**
 * A page of a mirror: the memories of one user in one project from one month. The front matter has their ids, dates and labels, one
 * line of JSON each, which is YAML too. Below it, each memory is a quotation under its day and id. Nothing depends on the time of
 * the export, so the page changes only if a memory does.
 */
import { markdownLines, markdownWords, type Part, textOfMarkdown } from './text.js'

export interface MirrorMemory {
  readonly id: string
  /** ISO 8601, like all times here. */
  readonly createdAt: string
  readonly updatedAt?: string
  readonly expiresAt?: string
  readonly source: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly content: string
  readonly outdated?: readonly Part[]
}

export interface MirrorPage {
  readonly user: string
  readonly project: string | null
  readonly month: string
  /** Oldest first. */
  readonly memories: readonly MirrorMemory[]
}

const formatLine = 'keepsake_mirror: 1'

export function pageText({ user, project, month, memories }: MirrorPage): string {
  const title = project === null ? month : `${markdownWords(project)}, ${month}`
  const lines = [
    '---',
    formatLine,
    `user: ${json(user)}`,
    `project: ${json(project)}`,
    `month: ${json(month)}`,
    'memories:',
    ...memories.map((memory) => `  - ${json(labelsOf(memory))}`),
    '---',
    '',
    `# ${title}`,
    ...memories.flatMap(({ id, createdAt, content, outdated }) => [
      '',
      `## ${createdAt.slice(0, createdAt.indexOf('T'))} ${id}`,
      '',
      ...markdownLines(content, outdated).map((line) => (line === '' ? '>' : `> ${line}`)),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

function labelsOf({ id, createdAt, updatedAt, expiresAt, source, metadata }: MirrorMemory): Record<string, unknown> {
  return {
    id,
    created_at: createdAt,
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    source,
    metadata: sorted(metadata),
  }
}

/** Engines keep the members of an object in different orders. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]))
}

/** Readers of YAML refuse some characters that JSON allows. */
function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function isPageText(start: string): boolean {
  return start.startsWith(`---\n${formatLine}\n`)
}

export interface ReadPage extends Omit<MirrorPage, 'memories'> {
  readonly memories: readonly (Omit<MirrorMemory, 'content'> & { readonly content: string | undefined })[]
  /** Lines that belong to no memory, with their numbers: somebody wrote them. */
  readonly strangers: readonly (readonly [number: number, line: string])[]
}

/** Undefined if it is not a page: somebody changed its front matter. */
export function readPage(text: string): ReadPage | undefined {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const end = lines.indexOf('---', 1)
  if (!isPageText(`${lines.slice(0, 2).join('\n')}\n`) || end === -1) return undefined
  const head = lines.slice(2, end)
  const [user, project, month] = ['user', 'project', 'month'].map((name) => valueIn(head, `${name}: `))
  const labels = head.flatMap((line) => (line.startsWith('  - ') ? [objectIn(line.slice(4))] : []))
  if (typeof user !== 'string' || (typeof project !== 'string' && project !== null) || labels.includes(undefined)) {
    return undefined
  }
  const { contents, strangers } = bodyOf(lines, end + 1)
  const memories = labels.flatMap((fields) => (fields === undefined ? [] : [memoryOf(fields, contents)]))
  return { user, project, month: String(month), memories, strangers }
}

type Fields = Readonly<Record<string, unknown>>

function memoryOf(fields: Fields, contents: ReadonlyMap<string, string>): ReadPage['memories'][number] {
  const { id, created_at: createdAt, expires_at: expiresAt, source, metadata } = fields
  return {
    id: String(id),
    createdAt: String(createdAt),
    ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
    source: typeof source === 'string' ? source : 'mirror',
    // Safe: an object that is not an array has string keys.
    metadata: typeof metadata === 'object' && !Array.isArray(metadata) ? ((metadata ?? {}) as Fields) : {},
    content: contents.get(String(id)),
  }
}

function valueIn(lines: readonly string[], start: string): unknown {
  const line = lines.find((each) => each.startsWith(start))
  return line === undefined ? undefined : parsed(line.slice(start.length))
}

function objectIn(text: string): Fields | undefined {
  const value = parsed(text)
  // Safe: an object that is not an array has string keys.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

/** The quotations by id, and all lines that are neither quoted nor ours. */
function bodyOf(lines: readonly string[], from: number) {
  const quoted = new Map<string, string[]>()
  const strangers: (readonly [number, string])[] = []
  let id = ''
  for (const [at, line] of lines.slice(from).entries()) {
    const heading = /^## \S+ (mem_\w+)$/.exec(line)?.[1]
    if (heading !== undefined) {
      id = heading
      quoted.set(id, [])
    } else if (line.startsWith('>') && id !== '') quoted.get(id)?.push(line.slice(line.startsWith('> ') ? 2 : 1))
    else if (line.trim() !== '' && !line.startsWith('# ')) strangers.push([from + at + 1, line])
  }
  const contents = new Map(
    [...quoted].flatMap(([each, text]) => (text.length === 0 ? [] : [[each, textOfMarkdown(text)]])),
  )
  return { contents, strangers }
}
