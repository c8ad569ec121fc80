import type { PortableReader, PortableWriter } from '../ports/portable.js'
import type { Storage } from '../ports/storage.js'
import type { StorageLimits } from '../ports/storage-limits.js'
import type { Notebook } from './notebook.js'

export interface OpenedStorage {
  readonly storage: Storage
  /** Closes the storage and opens the same data again, perhaps with other limits. */
  reopen(limits?: StorageLimits): Promise<Storage>
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
  readonly reopen: OpenedStorage['reopen']
  readonly portableReader: () => Promise<PortableReader>
  /** Opens an empty store beside this one. */
  readonly openAnother: () => Promise<OpenedStorage>
}
