/** A small store for tests, as records. */
import { checksumOf, openPortableWriter, type PortableRecord } from '@keepsake/server/portable'

const at = Date.UTC(2026, 0, 1)

export function recordsOf(userId: string, contents: readonly string[]): PortableRecord[] {
  const memories = contents.flatMap((content, index): PortableRecord[] => [
    {
      record: 'memory',
      number: index + 1,
      id: `mem_${userId}_${index}`,
      source: 'api',
      created_at: at + index,
      current: index + 1,
      project: null,
      expires_at: null,
      content_key: content.toLowerCase(),
      superseded_at: null,
      superseded_by: null,
      withdrawn: false,
      access_count: index,
      last_accessed: null,
    },
    {
      record: 'version',
      number: index + 1,
      memory: index + 1,
      version: 1,
      content,
      checksum: checksumOf(content),
      metadata: { index },
      project: null,
      expires_at: null,
      trust_score: 1,
      flagged: false,
      valid_from: at + index,
      valid_to: null,
      mentions: [],
      slots: [],
      embedding: { model: 'model', vector: Buffer.from(Float32Array.of(0.5, -1, index).buffer).toString('base64') },
    },
  ])
  return [{ record: 'user', id: userId, numbers: contents.length + 1, entities: 0, expiry_told: at }, ...memories]
}

export async function fillStore(dataDir: string, records: readonly PortableRecord[]): Promise<void> {
  const writer = await openPortableWriter({ dataDir })
  await writer.begin('fixture')
  await writer.write(records)
  await writer.finish()
  await writer.close()
}

/** Streams for a command, and what it has written to them. */
export function testIo() {
  const written = { stdout: '', stderr: '' }
  const into = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text
    },
  })
  const stdin = (async function* () {
    yield new Uint8Array()
  })()
  return {
    written,
    io: {
      stdin,
      stdout: into('stdout'),
      stderr: into('stderr'),
    },
  }
}
