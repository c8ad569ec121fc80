import { SqliteSession } from './session.js'

/** Whoever has the file sees every row: there is nothing to enforce. */
export class PortableSession extends SqliteSession {
  async see(): Promise<void> {
    return undefined
  }
}
