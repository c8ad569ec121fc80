/** JSON files of any size: arrays and JSON Lines are read one element at a time. */
import { type JsonElement, jsonElements, parsedJson } from './json-elements.js'
import { decoded, linesOf, mostWhole, type SourceFile, startOf, wholeText } from './source.js'

export async function* elementsOf(file: SourceFile): AsyncGenerator<JsonElement> {
  if (!(await isLines(file))) return yield* jsonElements(decoded(file))
  for await (const [, line] of linesOf(file)) if (line.trim() !== '') yield { key: null, value: parsedJson(line) }
}

/** Several objects, one per line. */
async function isLines(file: SourceFile): Promise<boolean> {
  const start = await startOf(file, firstLineMost)
  const end = start.indexOf('\n')
  const isSeveral = start.startsWith('{') && end !== -1 && start.slice(end).trim().startsWith('{')
  return isSeveral && isWhole(start.slice(0, end))
}

const firstLineMost = 4 * 1024 * 1024

function isWhole(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch (error) {
    // Pretty-printed JSON has a bracket in its first line, or a part of the object.
    if (error instanceof SyntaxError || error instanceof RangeError) return false
    throw error
  }
}

/** An object as a whole, or the elements of an array. */
export async function* valuesOf(file: SourceFile): AsyncGenerator<unknown> {
  if ((await startOf(file, 1)) === '{' && !(await isLines(file))) yield parsedJson(await wholeText(file))
  else for await (const { value } of elementsOf(file)) yield value
}

/** The value that shows the format: the object as a whole, or the first element. Undefined if there is none. */
export async function telling(file: SourceFile): Promise<unknown> {
  if (file.bytes <= mostWhole) {
    for await (const value of valuesOf(file)) return value
    return undefined
  }
  // Of a huge object, the first array has to be enough.
  for await (const { key, value } of elementsOf(file)) return key === null ? value : { [key]: [value] }
  return undefined
}
