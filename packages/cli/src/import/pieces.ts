/**
 * Long texts and dialogues in requests that the service takes. It takes 50,000 characters and 200 messages; a third of that is
 * stored in seconds, so that progress shows, a lost answer costs little, and thirty requests a minute still fill a core.
 */
import { isBlank } from './clean.js'
import type { ImportMessage } from './item.js'

const pieceCharacters = 16_000
const pieceMessages = 100

/** Whole text where it fits. Cut at paragraphs, else at lines, sentences, words, and between characters at last. */
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
    // A tiny piece before a giant one is worse than a rougher cut.
    if (at > most / 4) return at + border.length
  }
  const last = head.charCodeAt(most - 1)
  return last >= 0xd800 && last < 0xdc00 ? most - 1 : most
}

/** Messages in their order, as many together as go into a piece. One that is too long becomes several of the same speaker. */
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

/** `Trip to Rome`, and where it became several, `Trip to Rome, part 2`. */
export function* numbered<Piece>(name: string, pieces: Iterable<Piece>): Generator<readonly [string, Piece]> {
  let part = 0
  for (const piece of pieces) {
    part += 1
    yield [part === 1 ? name : `${name}, part ${part}`, piece]
  }
}
