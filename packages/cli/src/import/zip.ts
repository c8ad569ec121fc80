/**
 * Reads a ZIP archive with yauzl: its directory, then single files as streams. Nothing is written to disk, so paths in an archive can
 * do no harm; an archive with paths that lead outside of it is refused all the same. The limits stop archives that are made to fill
 * memory or to take forever. They apply to files that are read: pictures and attachments beside them may have any size.
 */
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { SourceError } from './item.js'

export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
}

export interface ZipLimits {
  readonly entries: number
  /** Of one file, unpacked. */
  readonly fileBytes: number
  /** Of all files that are read, unpacked. */
  readonly totalBytes: number
  /** Unpacked size divided by packed size. Text has about 5, repetitive JSON 50, an archive that is made to explode 1,000. */
  readonly ratio: number
  /** A smaller file may have any ratio. */
  readonly ratioFromBytes: number
}

const defaultLimits: ZipLimits = {
  entries: 100_000,
  fileBytes: 2 * 1024 ** 3,
  totalBytes: 8 * 1024 ** 3,
  ratio: 250,
  ratioFromBytes: 16 * 1024 ** 2,
}

export async function zipEntries(path: string, limits: ZipLimits = defaultLimits): Promise<ZipEntry[]> {
  const zip = await opened(path)
  const entries: ZipEntry[] = []
  const budget = new Budget(limits)
  try {
    if (zip.entryCount > limits.entries) throw tooLarge(`more than ${limits.entries} files`)
    let packedBytes = 0
    for await (const entry of zip.eachEntry()) {
      // The directory can have more entries than its header says.
      if (entries.length >= limits.entries) throw tooLarge(`more than ${limits.entries} files`)
      packedBytes += entry.compressedSize
      // Files that share their bytes: a few kilobytes can claim to be petabytes.
      if (packedBytes > zip.fileSize) throw broken()
      if (entry.fileName.endsWith('/')) continue
      entries.push({
        name: entry.fileName,
        bytes: entry.uncompressedSize,
        read: () => contentOf(path, entry, budget),
      })
    }
    return entries
  } catch (error) {
    throw readable(error)
  } finally {
    zip.close()
  }
}

async function opened(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false })
  } catch (error) {
    throw readable(error)
  }
}

async function* contentOf(path: string, entry: Entry, budget: Budget): AsyncGenerator<Uint8Array> {
  const { fileName } = entry
  if (entry.isEncrypted()) throw new SourceError(`${fileName} is encrypted: unpack the archive first`)
  if (!entry.canDecodeFileData()) throw new SourceError(`${fileName} uses an unsupported compression method`)
  budget.admit(entry)
  const zip = await opened(path)
  try {
    // Never yields more than the size in the directory: yauzl compares.
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream) yield chunk
  } catch (error) {
    throw readable(error)
  } finally {
    zip.close()
  }
}

class Budget {
  readonly #limits: ZipLimits
  /** A file is read more than once: to detect the format, to count, and to send it. */
  readonly #admitted = new Set<string>()
  #bytes = 0

  constructor(limits: ZipLimits) {
    this.#limits = limits
  }

  admit({ fileName, uncompressedSize, compressedSize, relativeOffsetOfLocalHeader }: Entry): void {
    const { fileBytes, totalBytes, ratio, ratioFromBytes } = this.#limits
    if (uncompressedSize > fileBytes) throw tooLarge(`a file of more than ${inMegabytes(fileBytes)}`)
    if (uncompressedSize > ratioFromBytes && uncompressedSize > ratio * compressedSize) {
      throw tooLarge('a file that grows suspiciously when it is unpacked')
    }
    const key = `${relativeOffsetOfLocalHeader} ${fileName}`
    if (!this.#admitted.has(key)) this.#bytes += uncompressedSize
    this.#admitted.add(key)
    if (this.#bytes > totalBytes) throw tooLarge(`more than ${inMegabytes(totalBytes)} of text`)
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`
}

function tooLarge(what: string): SourceError {
  return new SourceError(`the ZIP archive has ${what}: unpack it and import the folder`)
}

function broken(): SourceError {
  return new SourceError('the ZIP archive is damaged or incomplete')
}

/** yauzl and zlib throw errors that name bytes and offsets. Errors of the file system stay as they are. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceError) return error
  if (/^(?:invalid relative path|absolute path|invalid characters in fileName)/.test(error.message)) {
    return new SourceError('the ZIP archive has a file name that leads outside of it')
  }
  const isOfSystem = 'syscall' in error
  return isOfSystem ? error : broken()
}
