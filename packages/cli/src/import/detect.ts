/** Detects the format of a source by its content: file names and extensions are unreliable. */
import { isConversations } from './chatgpt.js'
import { type LeftOut, SourceError } from './item.js'
import { isJsonLine } from './json-lines.js'
import { telling } from './json-source.js'
import { isMirror } from './mirror.js'
import { isVault } from './obsidian.js'
import { type Format, formatThat, readerOf, readers } from './readers.js'
import { type Source, type SourceFile, startOf } from './source.js'

/** The format and the files to read. Other files in the folder or archive are ignored. */
export interface Detected {
  readonly format: Format
  readonly files: readonly SourceFile[]
  readonly leftOut?: readonly LeftOut[]
}

export async function detect(source: Source): Promise<Detected> {
  const { kind, files } = source
  const [first] = files
  if (!first) throw new SourceError('it is empty')
  if (kind === 'file' || kind === 'input') return { format: await formatOf(first), files }
  const chats = files.find(({ name }) => isConversations(name)) ?? files.find(({ name }) => readers.claude.isFile(name))
  const format = chats === undefined ? undefined : await formatOf(chats)
  if (format === 'chatgpt' || format === 'claude') return filesFor(format, source)
  if (isMirror(source)) return filesFor('mirror', source)
  if (isVault(source)) return filesFor('obsidian', source)
  for (const each of ['gemini', 'markdown'] as const) {
    const found = await filesFor(each, source)
    if (found.files.length > 0) return found
  }
  return (await jsonIn(source)) ?? unknownFolder()
}

/** The files of a source that belong to the format. */
export async function filesFor(format: Format, source: Source): Promise<Detected> {
  const { kind, files } = source
  if (kind === 'file' || kind === 'input') return { format, files }
  if (format === 'archive') return { format, files: files.filter(({ name }) => /\.jsonl$/i.test(name)) }
  const reader = readerOf(format)
  if (reader.choose) return { format, ...(await reader.choose(source)) }
  return { format, files: files.filter(({ name }) => reader.isFile(name)) }
}

/** Enough for every export; a folder of a program may have thousands. */
const mostLooks = 200

/** Exports in JSON among other files: all that have the format of the first one that is recognised. */
async function jsonIn({ files }: Source): Promise<Detected | undefined> {
  const found: { readonly file: SourceFile; readonly format: Format }[] = []
  for (const file of files.filter(({ name }) => /\.(?:json|jsonl|ndjson|af)$/i.test(name)).slice(0, mostLooks)) {
    const format = await formatOrNone(file)
    if (format !== undefined) found.push({ file, format })
  }
  const [first] = found
  if (first === undefined) return undefined
  return { format: first.format, files: found.flatMap(({ file, format }) => (format === first.format ? [file] : [])) }
}

async function formatOrNone(file: SourceFile): Promise<Format | undefined> {
  try {
    return await formatOf(file)
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

function unknownFolder(): never {
  throw new SourceError(
    'it contains no conversations.json, no known export and no notes; name the format with --format',
  )
}

/** The styles of a page by Google come first and are long. */
const startCharacters = 1_000_000

async function formatOf(file: SourceFile): Promise<Format> {
  const start = await startOf(file, startCharacters)
  const end = start.indexOf('\n')
  const line = end === -1 ? start : start.slice(0, end)
  // The first line may be enough; otherwise the file is one JSON document, or text.
  if (isArchiveHeader(line)) return 'archive'
  if (isJsonLine(line)) return 'jsonl'
  // A bracket is not enough: "[sic]" and wiki links start with one too.
  if (/^[[{]\s*["{]/.test(start)) return jsonFormatOf(file)
  const format = formatThat(({ isText }) => isText?.(start, file.name)) ?? 'text'
  const isPage = format === 'text' && /^<(?:!doctype html|html)\b/i.test(start)
  if (isPage) throw new SourceError('it is a web page in an unknown format; --format text imports it as it is')
  return format
}

/** The header that `keepsake export` writes. */
function isArchiveHeader(line: string): boolean {
  return line.startsWith('{"keepsake_archive":')
}

async function jsonFormatOf(file: SourceFile): Promise<Format> {
  const value = await telling(file)
  const format = formatThat(({ isJson }) => isJson?.(value))
  if (format === undefined) throw new SourceError('it is JSON in an unknown format; name the format with --format')
  return format
}
