/** Content that is the same for everyone: made once, shared by all responses, and not sent to a client that has it. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

export interface KeptContent {
  readonly bytes: Buffer
  readonly etag: string
}

/** A failure is not kept: the next request tries again. */
export function keptContent(make: () => string | Buffer | Promise<string | Buffer>): () => Promise<KeptContent> {
  let kept: Promise<KeptContent> | undefined
  return () => {
    kept ??= read(make)
    kept.catch(() => {
      kept = undefined
    })
    return kept
  }
}

async function read(make: () => string | Buffer | Promise<string | Buffer>): Promise<KeptContent> {
  const made = await make()
  const bytes = typeof made === 'string' ? Buffer.from(made) : made
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}

export function sendKept(reply: FastifyReply, { bytes, etag }: KeptContent): FastifyReply {
  reply.header('etag', etag)
  const known = reply.request.headers['if-none-match'] ?? ''
  const isKnown = known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
  return isKnown ? reply.code(304).send(null) : reply.send(bytes)
}
