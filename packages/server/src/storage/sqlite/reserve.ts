/**
 * Room that is kept for erasing. A delete is written to the log before anything gets smaller, so on a full disk it would be
 * refused, and who runs out of room could not even make some. A file beside the database holds a few megabytes; it is given up for
 * the moment of a delete that found the disk full, and filled again when there is room.
 */
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'

/** One delete writes about 0.3 MB to the log, a chunk of a large one (200 memories) up to about 4. */
export const reserveBytes = 4 * 1024 * 1024
const pieceBytes = 256 * 1024

export class Reserve {
  readonly #path: string

  constructor(databasePath: string) {
    this.#path = `${databasePath}-reserve`
  }

  /**
   * Written, not only declared: a file with holes takes no room. As much of it as there is room for; false where that
   * is not all.
   */
  fill(): boolean {
    if (this.#size() === reserveBytes) return true
    const zeros = new Uint8Array(pieceBytes)
    let file: number | undefined
    try {
      file = openSync(this.#path, 'w', 0o600)
      for (let written = 0; written < reserveBytes; ) written += writeSync(file, zeros)
      return true
    } catch (error) {
      // A disk that takes no more: what is there is there, and nothing else depends on it.
      if (!isSystemError(error)) throw error
      return false
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  giveUp(): void {
    rmSync(this.#path, { force: true })
  }

  #size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
