/** Detects the format of a source by its content: file names and extensions are unreliable. */
import { isChatGpt } from './chatgpt.js'
import { isClaude } from './claude.js'
import { fieldsOf, SourceError } from './item.js'
import { jsonElements, parsedJson } from './json-elements.js'
import { isJsonLine } from './json-lines.js'
import { isMem0 } from './mem0.js'
import { decoded, type Source, type SourceFile, wholeText } from './source.js'

export const formats = ['archive', 'mem0', 'chatgpt', 'claude', 'text', 'markdown', 'jsonl'] as const
export type Format = (typeof formats)[number]

/** The format and the files to read. Other files in the folder or archive are ignored. */
export interface Detected {
  readonly format: Format
  readonly files: readonly SourceFile[]
}

const isConversations = (name: string) => /(?:^|\/)conversations(?:[-_]\d+)?\.json$/.test(name)
const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name)
const isPlainText = (name: string) => /\.(?:txt|text)$/i.test(name)
const isJson = (name: string) => /\.json$/i.test(name)
/** The other files of Claude's export are about the account. */
const isOfClaude = (name: string) =>
  isConversations(name) || /(?:^|\/)(?:memories|projects)(?:\.json|\/[^/]+\.json)$/.test(name)

export async function detect(source: Source): Promise<Detected> {
  const { kind, files } = source
  const [first] = files
  if (!first) throw new SourceError('it is empty')
  if (kind === 'file' || kind === 'input') return { format: await formatOf(first), files }
  const conversations = files.find(({ name }) => isConversations(name)) ?? files.find(({ name }) => isOfClaude(name))
  const format = conversations === undefined ? undefined : await formatOf(conversations)
  if (format === 'chatgpt' || format === 'claude') return { format, files: filesOf(format, source) }
  const notes = filesOf('markdown', source)
  if (notes.length > 0) return { format: 'markdown', files: notes }
  throw new SourceError('it contains no conversations.json and no notes; name the format with --format')
}

/** The files of a source that belong to the format. */
export function filesOf(format: Format, { kind, files }: Source): readonly SourceFile[] {
  if (kind === 'file' || kind === 'input') return files
  const wanted: Readonly<Record<Format, (name: string) => boolean>> = {
    archive: (name) => /\.jsonl$/i.test(name),
    mem0: isJson,
    chatgpt: isConversations,
    claude: isOfClaude,
    text: (name) => isPlainText(name) || isMarkdown(name),
    markdown: (name) => isMarkdown(name) || isPlainText(name),
    jsonl: (name) => /\.(?:jsonl|ndjson)$/i.test(name),
  }
  return files.filter(({ name }) => wanted[format](name))
}

async function formatOf(file: SourceFile): Promise<Format> {
  const first = await firstLine(file)
  // The first line may be enough; otherwise the file is one JSON document, or plain text.
  if (isArchiveHeader(first)) return 'archive'
  if (isJsonLine(first)) return 'jsonl'
  if (isMarkdown(file.name) || /^(?:---|#{1,6} )/.test(first)) return 'markdown'
  return (await looksLikeJson(file)) ? jsonFormatOf(file) : 'text'
}

/** A bracket is not enough: "[sic]" and wiki links start with one too. */
async function looksLikeJson(file: SourceFile): Promise<boolean> {
  let text = ''
  for await (const part of decoded(file)) {
    text = (text + part).trimStart()
    if (text.length > 1_000) break
  }
  return /^[[{]\s*["{]/.test(text)
}

async function firstLine(file: SourceFile): Promise<string> {
  let text = ''
  for await (const part of decoded(file)) {
    text = (text + part).trimStart()
    const end = text.indexOf('\n')
    if (end !== -1) return text.slice(0, end)
    // An entire export may be one line.
    if (text.length > 1_000_000) return text
  }
  return text
}

/** The header that `keepsake export` writes. */
function isArchiveHeader(line: string): boolean {
  return line.startsWith('{"keepsake_archive":')
}

async function jsonFormatOf(file: SourceFile): Promise<Format> {
  for await (const { key, value } of jsonElements(decoded(file))) {
    const format = formatOfElement(value)
    if (format !== undefined) return format
    // All elements of a top-level array are alike, but an object may have other arrays first.
    if (key === null) throw unknownJson()
  }
  if (formatOfElement(parsedJson(await wholeText(file))) === 'claude') return 'claude'
  throw unknownJson()
}

function unknownJson(): SourceError {
  return new SourceError('it is JSON in an unknown format; name the format with --format')
}

function formatOfElement(value: unknown): Format | undefined {
  if (isChatGpt(value)) return 'chatgpt'
  if (isClaude(value)) return 'claude'
  if (isMem0(value)) return 'mem0'
  return typeof fieldsOf(value).content === 'string' ? 'jsonl' : undefined
}
