import { SqliteSession } from './session.js'

/** Anyone with access to the file can read every row: there is nothing to enforce. */
export class PortableSession extends SqliteSession {
  async see(): Promise<void> {
    return undefined
  }
}
