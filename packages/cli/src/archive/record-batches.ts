/** Groups records into transactions of many small records or few large ones. */
import type { ArchiveSecrets, PortableRecord, PortableWriter } from '@keepsake/server/portable'

const mostRecords = 500
/** Approximate size of texts and vectors. */
const mostCharacters = 2_000_000

export class RecordBatches {
  #batch: PortableRecord[] = []
  #characters = 0

  constructor(
    private readonly writer: PortableWriter,
    /** Number of records at the beginning that are already written. */
    private toSkip: number,
    /** Removes secrets. It needs every record, also those that are skipped. */
    private readonly secrets?: ArchiveSecrets,
  ) {}

  async add(given: PortableRecord): Promise<void> {
    const record = this.secrets?.hide(given) ?? given
    if (this.toSkip > 0) {
      this.toSkip -= 1
      return
    }
    this.#batch.push(record)
    this.#characters += sizeOf(record)
    if (this.#batch.length >= mostRecords || this.#characters >= mostCharacters) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return
    const batch = this.#batch
    this.#batch = []
    this.#characters = 0
    await this.writer.write(batch)
  }
}

function sizeOf(record: PortableRecord): number {
  switch (record.record) {
    case 'version':
      return record.content.length + (record.embedding?.vector.length ?? 0)
    case 'document':
      return record.segments.reduce((sum, { text }) => sum + text.length, 0)
    case 'relationship':
      return record.tellings.length * 100
    case 'pending':
      return record.payload.length
    default:
      return 0
  }
}
