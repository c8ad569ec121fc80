/**
 * Splits long texts and dialogues into requests that the service accepts. Its limits are 50,000 characters and 200 messages. A third
 * of that takes seconds to store, so progress is visible, a lost answer costs little, and thirty requests per minute still keep a
 * core busy.
 */
import { isBlank } from './clean.js'
import type { ImportItem, ImportMessage } from './item.js'

const pieceCharacters = 16_000
const pieceMessages = 100

/** Splits a text that is too long at paragraphs, otherwise at lines, sentences or words, and as a last resort between characters. */
export function* textPieces(text: string, most = pieceCharacters): Generator<string> {
  let rest = text.trim()
  while (rest.length > most) {
    const at = cutBefore(rest, most)
    const piece = rest.slice(0, at).trim()
    if (!isBlank(piece)) yield piece
    rest = rest.slice(at).trim()
  }
  if (!isBlank(rest)) yield rest
}

function cutBefore(text: string, most: number): number {
  const head = text.slice(0, most)
  for (const border of ['\n\n', '\n', '. ', ' ']) {
    const at = head.lastIndexOf(border)
    // A rough cut is better than a tiny piece before a huge one.
    if (at > most / 4) return at + border.length
  }
  const last = head.charCodeAt(most - 1)
  return last >= 0xd800 && last < 0xdc00 ? most - 1 : most
}

/** Groups messages in order, as many as fit into a piece. A message that is too long becomes several of the same speaker. */
export function* dialoguePieces(messages: Iterable<ImportMessage>): Generator<ImportMessage[]> {
  let piece: ImportMessage[] = []
  let characters = 0
  for (const message of messages) {
    for (const content of textPieces(message.content)) {
      if (piece.length >= pieceMessages || (piece.length > 0 && characters + content.length > pieceCharacters)) {
        yield piece
        piece = []
        characters = 0
      }
      piece.push({ ...message, content })
      characters += content.length
    }
  }
  if (piece.length > 0) yield piece
}

/** Numbers the pieces after the first: `Trip to Rome`, `Trip to Rome, part 2`. */
function* numbered<Piece>(name: string, pieces: Iterable<Piece>): Generator<readonly [string, Piece]> {
  let part = 0
  for (const piece of pieces) {
    part += 1
    yield [part === 1 ? name : `${name}, part ${part}`, piece]
  }
}

/** What the items of one text or dialogue have in common. */
export interface ItemFacts {
  readonly source: string
  readonly metadata: NonNullable<ImportItem['metadata']>
  readonly createdAt?: string | undefined
  readonly ttl?: string | undefined
  readonly project?: string | undefined
}

/** One item per piece. Facts that are not known are left out. */
export function* itemsOf(
  name: string,
  pieces: Iterable<ImportItem['text']>,
  { source, metadata, createdAt, ttl, project }: ItemFacts,
): Generator<ImportItem> {
  for (const [part, text] of numbered(name, pieces)) {
    yield {
      kind: 'item',
      name: part,
      text,
      metadata,
      source,
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(project === undefined ? {} : { project }),
    }
  }
}
