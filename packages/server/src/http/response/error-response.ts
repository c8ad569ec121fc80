/** Turns every failure into the one error body. Details that are not meant for callers stay in the log. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { errorTable, ServiceError } from '../../core/errors.js'

import type { ErrorAnswer } from '../schemas/error.js'
import { challenge, responseHeaders } from './response-headers.js'

/** Errors of Fastify that a client can cause, with our messages. */
const frameworkErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'The body is larger than 1 MiB'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'The body must be sent as Content-Type: application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The length of the body differs from its Content-Length'],
  FST_ERR_BAD_URL: [400, 'The URL has broken percent-encoding'],
}

export function asServiceError(error: unknown, request: FastifyRequest, log: FastifyBaseLogger): ServiceError {
  if (error instanceof ServiceError) return error
  const { code, statusCode } = errorFields(error)
  // No id is that long, and an id of a wrong shape is not found.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new ServiceError('not_found', 'Not found')
  const known = Object.hasOwn(frameworkErrors, code) ? frameworkErrors[code] : undefined
  if (known) return new ServiceError('validation_error', known[1], undefined, known[0])
  if (code.startsWith('FST_ERR_CTP') || (code.startsWith('FST_') && statusCode >= 400 && statusCode < 500)) {
    return new ServiceError('validation_error', 'The request could not be read')
  }
  // Only for the client's own connection: a model or a store may reset one too.
  if (code === 'ECONNRESET' && request.raw.destroyed)
    return new ServiceError('validation_error', 'The request ended before it was complete')
  log.error({ err: error, request_id: request.id }, 'a request failed')
  return new ServiceError('internal_error', errorTable.internal_error.meaning)
}

function errorFields(error: unknown): { code: string; statusCode: number } {
  if (typeof error !== 'object' || error === null) return { code: '', statusCode: 0 }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const statusCode = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 0
  return { code, statusCode }
}

export function errorBodyOf(error: ServiceError, requestId: string): ErrorAnswer {
  const { code, message } = error
  // A broken request always has a list of problems. An empty path stands for the whole request.
  const details = error.details ?? (code === 'validation_error' ? [{ path: '', message }] : undefined)
  return {
    error: {
      code,
      message,
      ...(details === undefined ? {} : { details: details.map((problem) => ({ ...problem })) }),
      request_id: requestId,
    },
  }
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: FastifyBaseLogger,
): FastifyReply {
  const answer = asServiceError(error, request, log)
  const retryAfterSeconds = answer.retryAfterSeconds ?? (answer.status === 503 ? 1 : undefined)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  // Do not wait for the rest of a body that is not read.
  if (answer.status === 413) reply.header('connection', 'close')
  return reply
    .code(answer.status)
    .headers(responseHeaders)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(errorBodyOf(answer, request.id))
}

const parserProblems: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The URL and headers are longer than 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** Answers an unsupported `Expect` header. Node would answer it without a body. */
export function answerUnmetExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const requestId = randomUUID()
  const error = new ServiceError('validation_error', 'The Expect header requests an unsupported option')
  const body = JSON.stringify(errorBodyOf(error, requestId))
  response.writeHead(error.status, {
    ...responseHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  })
  response.end(body)
}

interface ParserError extends Error {
  readonly code?: string
  /** A Buffer, although its declared type differs. */
  readonly rawPacket?: unknown
  readonly bytesParsed?: number
}

/** A request that Node's HTTP parser refuses never reaches Fastify, so the response is written to the socket as text. */
export function answerClientError(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const refusal = refusalOf(error)
  const body = JSON.stringify(errorBodyOf(refusal, requestId))
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`),
      `x-request-id: ${requestId}`,
      ...(refusal.code === 'authentication_error' ? [`www-authenticate: ${challenge}`] : []),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function refusalOf(error: ParserError): ServiceError {
  // A key with a NUL or another control character is a wrong key like any other.
  if (error.code === 'HPE_INVALID_HEADER_TOKEN' && /^authorization *:/i.test(lastLineRead(error))) {
    return new ServiceError('authentication_error', 'The API key is not valid')
  }
  return new ServiceError('validation_error', parserProblems[error.code ?? ''] ?? 'The request is not valid HTTP')
}

/** The line with the refused byte, as far as it arrived in the same packet. */
function lastLineRead({ rawPacket, bytesParsed }: ParserError): string {
  const read = Buffer.isBuffer(rawPacket) ? rawPacket.subarray(0, bytesParsed).toString('latin1') : ''
  return read.slice(read.lastIndexOf('\n') + 1)
}
