/** Reads a mirror that `keepsake export --markdown` wrote, also after somebody edited its texts. */
import { isPageText, readPage } from '../mirror/page.js'
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { leftOut, type Read, SourceError } from './item.js'
import { itemsOf, textPieces } from './pieces.js'
import type { Reader, ReadOptions } from './reader.js'
import { type Source, type SourceFile, startOf, wholeText } from './source.js'

export const mirror: Reader = {
  isFile: (name) => /\.md$/.test(name),
  isText: isPageText,
  async choose({ files }) {
    const pages: SourceFile[] = []
    for (const file of files) if (mirror.isFile(file.name) && isPageText(await startOf(file, 100))) pages.push(file)
    return { files: pages }
  },
  async users(file) {
    return [readPage(await wholeText(file))?.user ?? ''].filter((user) => user !== '')
  },
  read: readMirror,
}

/** The mark is at the top. A mirror somewhere among other notes does not make them one. */
export function isMirror({ marks, files }: Source): boolean {
  const mark = marks.find(({ name }) => name.endsWith(markName))
  const root = mark?.name.slice(0, -markName.length)
  return root !== undefined && files.every(({ name }) => name.startsWith(root))
}

const markName = '.keepsake-mirror.json'
const hourMs = 3_600_000

async function* readMirror(file: SourceFile, { nowMs, fromUser }: ReadOptions): AsyncGenerator<Read> {
  const page = readPage(await wholeText(file))
  if (page === undefined)
    throw new SourceError('its front matter was changed and can’t be read: export the mirror again')
  if (fromUser !== undefined && page.user !== fromUser) return
  for (const { id, createdAt: created, expiresAt, source, metadata, content } of page.memories) {
    const text = cleanText(content ?? '')
    const createdAt = momentOf(created, nowMs)
    const lifeMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.parse(created)
    if (isBlank(text)) yield leftOut(id, 'its text is gone')
    else if (expiresAt !== undefined && !(Date.parse(expiresAt) > nowMs)) yield leftOut(id, 'it has expired')
    else {
      yield* itemsOf(id, textPieces(text), {
        source,
        metadata: cleanMetadata(metadata),
        createdAt,
        project: page.project ?? undefined,
        ttl: lifeMs === undefined ? undefined : `${Math.max(1, Math.ceil(lifeMs / hourMs))}h`,
      })
    }
  }
  for (const [number] of page.strangers) yield leftOut(`${file.name}, line ${number}`, 'it belongs to no memory')
}
