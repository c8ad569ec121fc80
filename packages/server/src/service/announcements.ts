/** Receives the changes that this process makes, to feed event streams and webhooks. */
export interface Announced {
  /** Null: possibly several users. */
  changed(userId: string | null): void
  revoked(keyId: string): void
}

/** Passes each announcement on to its listeners: the storage that announces is opened before they exist. */
export class Announcements implements Announced {
  readonly #listeners: Announced[] = []

  listen(listener: Announced): void {
    this.#listeners.push(listener)
  }

  changed(userId: string | null): void {
    for (const listener of this.#listeners) listener.changed(userId)
  }

  revoked(keyId: string): void {
    for (const listener of this.#listeners) listener.revoked(keyId)
  }
}
