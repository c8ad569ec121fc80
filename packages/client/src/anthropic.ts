/**
 * The files of Anthropic's memory tool (`memory_20250818`), kept as items: `betaMemoryTool(memoryFiles(client))` with the
 * `betaMemoryTool` of `@anthropic-ai/sdk`. The texts are those of the tool's documentation. A directory exists while it has files.
 */
import type { Item } from './api-types.generated.js'
import { ConflictError } from './errors.js'
import type { Keepsake } from './keepsake.js'
import { requireScope } from './memory-tools.js'

const root = '/memories'
const numberWidth = 6
const mostLines = 999_999
const mostAttempts = 5

interface Path {
  readonly path: string
}

export interface MemoryFiles {
  view(command: Path & { readonly view_range?: readonly number[] | null | undefined }): Promise<string>
  create(command: Path & { readonly file_text: string }): Promise<string>
  str_replace(command: Path & { readonly old_str: string; readonly new_str: string }): Promise<string>
  insert(command: Path & { readonly insert_line: number; readonly insert_text: string }): Promise<string>
  delete(command: Path): Promise<string>
  rename(command: { readonly old_path: string; readonly new_path: string }): Promise<string>
}

/** @param options - `namespace`: where the files are; `memories` by default. */
export function memoryFiles(client: Keepsake, { namespace = 'memories' }: { namespace?: string } = {}): MemoryFiles {
  requireScope(client)
  const files = new Files(client, namespace)
  return {
    view: (command) => files.view(command),
    create: (command) => files.create(command),
    str_replace: (command) => files.replace(command),
    insert: (command) => files.insert(command),
    delete: (command) => files.delete(command),
    rename: (command) => files.rename(command),
  }
}

class Files {
  constructor(
    private readonly client: Keepsake,
    private readonly namespace: string,
  ) {}

  async view({ path, view_range: range }: Parameters<MemoryFiles['view']>[0]): Promise<string> {
    const key = keyOf(path)
    const file = key === '' ? null : await this.#get(key)
    if (file) return shownFile(path, textOf(file), range ?? undefined)
    const inside = await this.#below(key)
    if (key !== '' && inside.length === 0) throw missing(path, '. Please provide a valid path.')
    return shownDirectory(path, key, inside)
  }

  async create({ path, file_text: text }: Parameters<MemoryFiles['create']>[0]): Promise<string> {
    const key = fileKeyOf(path)
    const exists = new Error(`File ${path} already exists`)
    if ((await this.#below(key)).length > 0) throw exists
    try {
      await this.client.items.put(this.namespace, key, text, { ifVersion: 0 })
    } catch (error) {
      throw error instanceof ConflictError ? exists : error
    }
    return `File created successfully at: ${path}`
  }

  async replace({ path, old_str: old, new_str: text }: Parameters<MemoryFiles['str_replace']>[0]): Promise<string> {
    return this.#edit(path, (content) => {
      const lines = content.split('\n')
      const places = lines.flatMap((line, index) => (line.includes(old) ? [index] : []))
      const [place] = places
      // A text of several lines is in no single line.
      const first = content.indexOf(old)
      const isTwice = places.length > 1 || (places.length === 0 && content.indexOf(old, first + 1) >= 0)
      if (first < 0) {
        throw new Error(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`)
      }
      const at = place ?? content.slice(0, first).split('\n').length - 1
      if (isTwice) {
        const numbers = (places.length > 0 ? places : [at]).map((index) => index + 1).join(', ')
        throw new Error(
          `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${numbers}. Please ensure it is unique`,
        )
      }
      const changed = content.slice(0, first) + text + content.slice(first + old.length)
      const from = Math.max(0, at - 2)
      const snippet = numbered(changed.split('\n').slice(from, at + 3), from + 1)
      const answer = 'The memory file has been edited. Here is the snippet showing the change (with line numbers):'
      return { content: changed, answer: `${answer}\n${snippet}` }
    })
  }

  async insert({ path, insert_line: line, insert_text: text }: Parameters<MemoryFiles['insert']>[0]): Promise<string> {
    return this.#edit(path, (content) => {
      const lines = content.split('\n')
      if (!(line >= 0 && line <= lines.length)) {
        throw new Error(
          `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        )
      }
      lines.splice(line, 0, text.replace(/\n$/, ''))
      return { content: lines.join('\n'), answer: `The file ${path} has been edited.` }
    })
  }

  async delete({ path }: Path): Promise<string> {
    const key = keyOf(path)
    if (key === '') throw new Error(`Cannot delete the ${root} directory itself`)
    const inside = await this.#below(key)
    const isFile = await this.client.items.delete(this.namespace, key)
    for (const item of inside) await this.client.items.delete(this.namespace, item.key)
    if (!isFile && inside.length === 0) throw missing(path)
    return `Successfully deleted ${path}`
  }

  async rename({ old_path: from, new_path: to }: Parameters<MemoryFiles['rename']>[0]): Promise<string> {
    const [oldKey, newKey] = [keyOf(from), fileKeyOf(to)]
    if (oldKey === '') throw new Error(`Cannot rename the ${root} directory itself`)
    const taken = new Error(`The destination ${to} already exists`)
    if ((await this.#get(newKey)) || (await this.#below(newKey)).length > 0) throw taken
    const file = await this.#get(oldKey)
    const moved = file ? [file] : await this.#below(oldKey)
    if (moved.length === 0) throw missing(from)
    if (newKey.startsWith(`${oldKey}/`)) throw new Error(`Cannot move ${from} into itself`)
    // Each file is written before it is removed: an interruption leaves a copy, never a loss.
    for (const { key, value, version } of moved) {
      const target = newKey + key.slice(oldKey.length)
      try {
        await this.client.items.put(this.namespace, target, value, { ifVersion: 0 })
      } catch (error) {
        throw error instanceof ConflictError ? taken : error
      }
      await this.client.items.delete(this.namespace, key, { ifVersion: version })
    }
    return `Successfully renamed ${from} to ${to}`
  }

  /** Repeated if somebody else has changed the file meanwhile. */
  async #edit(path: string, change: (content: string) => { content: string; answer: string }): Promise<string> {
    const key = fileKeyOf(path)
    for (let attempt = 1; ; attempt++) {
      const file = await this.#get(key)
      if (!file) {
        if ((await this.#below(key)).length > 0) throw new Error(`The path ${path} is not a file.`)
        throw missing(path, '. Please provide a valid path.')
      }
      const { content, answer } = change(textOf(file))
      try {
        await this.client.items.put(this.namespace, key, content, { ifVersion: file.version })
        return answer
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt === mostAttempts) throw error
      }
    }
  }

  #get(key: string): Promise<Item | null> {
    return this.client.items.get(this.namespace, key)
  }

  async #below(key: string): Promise<Item[]> {
    const all = await this.client.items.list({ namespace: this.namespace, limit: 500 }).toArray()
    return key === '' ? all : all.filter((item) => item.key.startsWith(`${key}/`))
  }
}

/* ------------------------------------------------------------------ paths and texts */

/** The key of a path; empty for the root. */
function keyOf(path: string): string {
  if (path !== root && !path.startsWith(`${root}/`)) throw new Error(`Path must start with ${root}, got: ${path}`)
  const parts: string[] = []
  for (const part of path.slice(root.length).split('/')) {
    if (part === '..' && parts.pop() === undefined) throw new Error(`Path ${path} would escape ${root} directory`)
    if (part !== '' && part !== '.' && part !== '..') parts.push(part)
  }
  return parts.join('/')
}

function fileKeyOf(path: string): string {
  const key = keyOf(path)
  if (key === '') throw new Error(`The path ${path} is not a file.`)
  return key
}

function missing(path: string, more = ''): Error {
  return new Error(`The path ${path} does not exist${more}`)
}

function textOf({ value }: Item): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`).join('\n')
}

function shownFile(path: string, content: string, range: readonly number[] | undefined): string {
  const lines = content.split('\n')
  if (lines.length > mostLines) {
    throw new Error(
      `File ${path} has too many lines (${lines.length}). Maximum is ${mostLines.toLocaleString()} lines.`,
    )
  }
  const [first = 1, last = -1] = range?.length === 2 ? range : []
  const start = Math.max(1, first) - 1
  const shown = lines.slice(start, last === -1 ? lines.length : last)
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, start + 1)}`
}

function shownDirectory(path: string, key: string, items: readonly Item[]): string {
  const sizes = new Map<string, number>()
  let total = 0
  for (const item of items) {
    const bytes = new TextEncoder().encode(textOf(item)).length
    total += bytes
    const parts = (key === '' ? item.key : item.key.slice(key.length + 1)).split('/')
    const hidden = parts.findIndex((part) => part.startsWith('.') || part === 'node_modules')
    const shown = hidden < 0 ? parts.length : hidden
    for (let depth = 1; depth <= Math.min(2, shown); depth++) {
      const name = parts.slice(0, depth).join('/') + (depth < parts.length ? '/' : '')
      sizes.set(name, (sizes.get(name) ?? 0) + bytes)
    }
  }
  const header = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`
  // Part by part, as a walk through the directories would find them.
  const plain = (name: string) => name.replace(/\/$/, '').replaceAll('/', '\0')
  const names = [...sizes.keys()].sort((a, b) => (plain(a) < plain(b) ? -1 : 1))
  const lines = names.map((name) => `${sizeText(sizes.get(name) ?? 0)}\t${path}/${name}`)
  return [header, `${sizeText(total)}\t${path}`, ...lines].join('\n')
}

function sizeText(bytes: number): string {
  const units = ['B', 'K', 'M', 'G']
  let [size, unit] = [bytes, 0]
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[unit]}`
}
