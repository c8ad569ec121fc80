/**
 * Disk space reserved for erasing. A delete is written to the log before anything gets smaller, so a full disk would refuse it,
 * and an operator who runs out of space could not free any. A file beside the database occupies a few megabytes. It is removed
 * while a delete runs that found the disk full, and filled again when there is space.
 */
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'

/** One delete writes about 0.3 MB to the log; a chunk of a large one (200 memories) writes up to about 4 MB. */
export const reserveBytes = 4 * 1024 * 1024
const pieceBytes = 256 * 1024

export class Reserve {
  readonly #path: string

  constructor(databasePath: string) {
    this.#path = `${databasePath}-reserve`
  }

  /**
   * Writes real bytes, because a sparse file takes no space. Writes as much as there is space for; returns false if that is less
   * than the whole reserve.
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
      // The disk is full. The bytes written so far stay, and nothing depends on the rest.
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
