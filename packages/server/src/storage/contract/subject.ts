import type { PortableReader, PortableWriter } from '../ports/portable.js'
import type { Storage } from '../ports/storage.js'
import type { Notebook } from './notebook.js'

export interface OpenedStorage {
  readonly storage: Storage
  /** Closes the storage and opens the same data again. */
  reopen(): Promise<Storage>
  destroy(): Promise<void>
  /** May be open at the same time as the storage. */
  portableReader(): Promise<PortableReader>
  /** Only after the storage was closed: an engine may allow one writer at a time. */
  portableWriter(): Promise<PortableWriter>
}

/** Opened for each test. */
export interface Subject {
  readonly storage: Storage
  readonly notebook: Notebook
  readonly reopen: () => Promise<Storage>
  readonly portableReader: () => Promise<PortableReader>
  /** Opens an empty store beside this one. */
  readonly openAnother: () => Promise<OpenedStorage>
}
