/** The source of an import: a file, the files of a folder or a ZIP archive, or standard input. Sources are never modified. */
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { NotTextError, SourceError } from './item.js'

export interface SourceFile {
  /** Path within the source, separated by `/`. */
  readonly name: string
  readonly bytes: number
  readonly modifiedMs?: number
  /** Reads from the beginning; can be called more than once. */
  read(): AsyncIterable<Uint8Array>
}

export interface Source {
  readonly kind: 'file' | 'folder' | 'zip' | 'input'
  readonly files: readonly SourceFile[]
  /** Settings of a vault and the mark of a mirror: they say what a folder or archive is, and are never imported. */
  readonly marks: readonly SourceFile[]
}

export async function openSource(path: string, stdin: AsyncIterable<Uint8Array>): Promise<Source> {
  if (path === '-') return { kind: 'input', files: [await heldInput(stdin)], marks: [] }
  if ((await stat(path)).isDirectory()) return { kind: 'folder', ...sorted(await filesBelow(path)) }
  if (await isZip(path)) {
    // Loaded on demand: few commands read archives.
    const { zipEntries } = await import('./zip.js')
    return { kind: 'zip', ...sorted(await zipEntries(path)) }
  }
  return { kind: 'file', files: [await fileAt(path, basename(path))], marks: [] }
}

const isMark = (name: string) => /(?:^|\/)\.obsidian\/|(?:^|\/)\.keepsake-mirror\.json$/.test(name)
/** Hidden files and folders (`.git`, `.trash`), and the copies of attributes that macOS puts into archives. */
const isHidden = (name: string) => /(?:^|\/)(?:\.[^/]*|node_modules|__MACOSX)(?:\/|$)/.test(name)

function sorted(all: readonly SourceFile[]): Pick<Source, 'files' | 'marks'> {
  return {
    files: all.filter(({ name }) => !isHidden(name)),
    marks: all.filter(({ name }) => isMark(name)),
  }
}

async function fileAt(path: string, name: string): Promise<SourceFile> {
  const { size, mtimeMs } = await stat(path)
  return { name, bytes: size, modifiedMs: mtimeMs, read: () => createReadStream(path) }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.readUInt32LE(0) === 0x04034b50
  } finally {
    await file.close()
  }
}

/** Returns the files in the same order on every system. Skips symbolic links, and hidden folders except `.obsidian`. */
async function filesBelow(root: string): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  async function look(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true })
    entries.sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      const name = relative(root, path).split(sep).join('/')
      if (entry.isDirectory()) {
        if (!isHidden(name) || isMark(`${name}/`)) await look(path)
      } else if (entry.isFile() && (!isHidden(name) || isMark(name))) files.push(await fileAt(path, name))
    }
  }
  await look(root)
  return files
}

const mostInputBytes = 256 * 1024 * 1024

/** Buffers standard input, because it is read more than once: to detect the format, then to import it. */
async function heldInput(stdin: AsyncIterable<Uint8Array>): Promise<SourceFile> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    bytes += chunk.length
    if (bytes > mostInputBytes)
      throw new SourceError('standard input is larger than 256 MiB: save it to a file and import that')
    chunks.push(chunk)
  }
  async function* read() {
    yield* chunks
  }
  return { name: 'standard input', bytes, read }
}

/**
 * Decodes UTF-8, or UTF-16 if there is a byte order mark, as written by Windows.
 *
 * @throws NotTextError
 */
export async function* decoded(file: SourceFile): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const check = new TextCheck()
  for await (const chunk of file.read()) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    yield check.passed(decoder.decode(chunk, { stream: true }))
  }
  const rest = check.passed(decoder?.decode() ?? '', true)
  if (rest !== '') yield rest
}

/** Characters that text has only by accident: control characters, and bytes that are not of the encoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const odd = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g
/** Formats that are written in plain characters, but are not text. */
const documentStart = /^\s*(?:%PDF-|\{\\rtf)/
/** A stray byte in an old note is no reason to refuse it. */
const oddShare = 0.02
const fewOdd = 2
const enoughCharacters = 512

class TextCheck {
  #characters = 0
  #odd = 0

  passed(text: string, isEnd = false): string {
    if (this.#characters === 0 && documentStart.test(text.slice(0, 100))) throw new NotTextError()
    this.#characters += text.length
    this.#odd += text.match(odd)?.length ?? 0
    const isEnough = isEnd || this.#characters >= enoughCharacters
    if (isEnough && this.#odd > fewOdd && this.#odd > oddShare * this.#characters) throw new NotTextError()
    return text
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** The beginning of a text without leading white space, at least `characters` long if the text is. */
export async function startOf(file: SourceFile, characters: number): Promise<string> {
  let text = ''
  for await (const part of decoded(file)) {
    text = (text + part).trimStart()
    if (text.length >= characters) break
  }
  return text.slice(0, characters)
}

export const mostWhole = 64 * 1024 * 1024

/** Only for files that are small by nature. */
export async function wholeText(file: SourceFile): Promise<string> {
  if (file.bytes > mostWhole) throw new SourceError(`${file.name} is larger than 64 MiB, too large for one text`)
  let text = ''
  for await (const part of decoded(file)) text += part
  return text
}

const longestLine = 4 * 1024 * 1024

/** Lines without line breaks, numbered from 1. */
export async function* linesOf(file: SourceFile): AsyncGenerator<readonly [number: number, line: string]> {
  let [rest, number] = ['', 0]
  for await (const part of decoded(file)) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine)
      throw new SourceError(`line ${number + lines.length + 1} of ${file.name} is too long`)
    for (const line of lines) {
      number += 1
      yield [number, line]
    }
  }
  if (rest !== '') yield [number + 1, rest]
}
