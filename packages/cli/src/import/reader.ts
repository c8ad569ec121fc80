/** What every source implements: how to recognise its files, and how to read one. `readers.ts` lists them. */
import type { LeftOut, Read } from './item.js'
import type { Source, SourceFile } from './source.js'

export interface ReadOptions {
  readonly nowMs: number
  /** Skips what the assistant said. */
  readonly userOnly: boolean
  /** Dates notes by their files if they have no other date. */
  readonly fileTimes: boolean
  /** Reads only the memories of this user of the source. */
  readonly fromUser?: string | undefined
}

export interface Reader {
  /** Whether a file of a folder or archive may belong to the format, by its name. */
  isFile(name: string): boolean
  /** Whether a JSON file has this format: the whole file if it is an object, otherwise its first element. */
  isJson?(value: unknown): boolean
  /** Whether text that is not JSON has this format. `start` is its beginning, at most a million characters. */
  isText?(start: string, name: string): boolean
  /** Chooses the files of a folder or archive, if their names are not enough. */
  choose?(source: Source): Promise<Chosen>
  /** The users that the file names, if the format has memories of several. They must not be merged by mistake. */
  users?(file: SourceFile): Promise<readonly string[]>
  read(file: SourceFile, options: ReadOptions): AsyncIterable<Read>
}

export interface Chosen {
  readonly files: readonly SourceFile[]
  /** Files that look like the format, but are not read, with the reason. */
  readonly leftOut?: readonly LeftOut[]
}
