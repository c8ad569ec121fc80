/** Reads a stream to its end, within a limit. */
const maxBytes = 16 * 1024 * 1024

export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk)
    bytes += piece.length
    if (bytes > maxBytes) throw new Error('the input is too long')
    chunks.push(piece)
  }
  return Buffer.concat(chunks).toString('utf8')
}
