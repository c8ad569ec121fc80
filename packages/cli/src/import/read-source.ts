/** Reads all items of a source, whatever its format, one at a time. */
import { readChatGpt } from './chatgpt.js'
import { readClaude } from './claude.js'
import type { Detected } from './detect.js'
import { leftOut, NotTextError, type Read, SourceError } from './item.js'
import { jsonElements, parsedJson } from './json-elements.js'
import { readJsonLines } from './json-lines.js'
import { readMarkdown, readText } from './markdown.js'
import { mem0Users, readMem0 } from './mem0.js'
import { decoded, linesOf, type SourceFile, wholeText } from './source.js'

export interface ReadOptions {
  readonly nowMs: number
  readonly userOnly: boolean
  readonly fileTimes: boolean
  readonly fromUser?: string | undefined
}

/** Called after each file, for progress in bytes. */
export type FileDone = (file: SourceFile) => void

export async function* readSource(
  { format, files }: Detected,
  options: ReadOptions,
  done: FileDone = () => undefined,
): AsyncGenerator<Read> {
  if (format === 'mem0') await oneUserOnly(files, options)
  for (const file of files) {
    try {
      yield* readFile(format, file, options)
    } catch (error) {
      // Among many notes, one that is not text does not stop the others. Nothing of it was yielded.
      if (error instanceof NotTextError && files.length > 1 && (format === 'markdown' || format === 'text')) {
        yield leftOut(file.name, error.message)
        continue
      }
      throw error instanceof SourceError ? new SourceError(`${file.name}: ${error.message}`) : error
    }
    done(file)
  }
}

async function* readFile(format: Detected['format'], file: SourceFile, options: ReadOptions): AsyncGenerator<Read> {
  if (format === 'mem0') yield* readMem0(elementsOf(file), options)
  else if (format === 'chatgpt') yield* readChatGpt(elementsOf(file), options)
  else if (format === 'claude') yield* readClaude(claudeValues(file), options)
  else if (format === 'jsonl') yield* readJsonLines(jsonLinesOf(file), options.nowMs)
  else {
    const note = { name: file.name, text: await wholeText(file), modifiedMs: file.modifiedMs }
    const isMarkdown = format === 'markdown' && !/\.(?:txt|text)$/i.test(file.name)
    yield* isMarkdown ? readMarkdown(note, options) : readText(note, options)
  }
}

function elementsOf(file: SourceFile) {
  return jsonElements(decoded(file))
}

async function oneUserOnly(files: readonly SourceFile[], { fromUser }: ReadOptions): Promise<void> {
  if (fromUser !== undefined) return
  const users = new Set<string>()
  for (const file of files) for (const user of await mem0Users(elementsOf(file))) users.add(user)
  if (users.size < 2) return
  const some = [...users].slice(0, 3).join(', ')
  throw new SourceError(`it has memories of ${users.size} users (${some}, …): choose one with --from-user`)
}

/** Memories or a single project are one object. Conversations are an array and are read one at a time. */
async function* claudeValues(file: SourceFile): AsyncGenerator<unknown> {
  if (await isObject(file)) yield parsedJson(await wholeText(file))
  else for await (const { value } of elementsOf(file)) yield value
}

/** Also accepts a JSON array of such objects, for programs that can't write JSON Lines. */
async function* jsonLinesOf(file: SourceFile): AsyncGenerator<readonly [number, string]> {
  if ((await firstCharacter(file)) !== '[') return yield* linesOf(file)
  let number = 0
  for await (const { value } of elementsOf(file)) {
    number += 1
    yield [number, JSON.stringify(value)]
  }
}

async function isObject(file: SourceFile): Promise<boolean> {
  return (await firstCharacter(file)) === '{'
}

async function firstCharacter(file: SourceFile): Promise<string> {
  for await (const part of decoded(file)) {
    const text = part.trimStart()
    if (text !== '') return text.charAt(0)
  }
  return ''
}
