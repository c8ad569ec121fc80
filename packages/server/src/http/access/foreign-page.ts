/**
 * Without authentication, anything that reaches the service may read and write. These checks keep out web pages that the browser of a
 * user on this machine has open: pages that call directly, and pages whose host name was pointed here (DNS rebinding).
 */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import { isLoopback } from '../../core/loopback.js'

interface Allowed {
  /** The address that the service listens on. */
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  readonly corsOrigins: readonly string[]
}

/** They contain no data, and a link may open them. */
const pages = new Set(['/dashboard', '/dashboard/', '/docs', '/redoc'])

/** A hook for `onRequest`. */
export function refuseForeignPages(allowed: Allowed) {
  const isOurs = ownHosts(allowed)
  const isForeignOrigin = foreignOrigins(allowed)
  return (request: FastifyRequest): void => {
    const { host: given, origin, 'sec-fetch-site': site } = request.headers
    // HTTP/1.0 allows requests without a Host; browsers always send one.
    if (given !== undefined && !isOurs(given)) {
      throw refused('This Host is not allowed; the operator lists allowed host names in SERVICE_ALLOWED_HOSTS')
    }
    const isForeign =
      origin === undefined
        ? !allowed.corsOrigins.includes('*') && site === 'cross-site' && !opensPage(request)
        : isForeignOrigin(request)
    if (isForeign) throw foreignOrigin()
  }
}

/**
 * For the `onRequest` of `/mcp`, with and without authentication: refuses pages of origins that are neither listed nor on this machine
 * nor our own. A page is our own if it has the host of the request, and this host is one of ours: a rebound host name is not.
 */
export function refuseForeignOrigins(allowed: Allowed) {
  const isForeign = foreignOrigins(allowed)
  return (request: FastifyRequest): void => {
    if (isForeign(request)) throw foreignOrigin()
  }
}

function foreignOrigins(allowed: Allowed) {
  const isOurs = ownHosts(allowed)
  const listed = new Set(allowed.corsOrigins)
  return ({ headers: { origin, host } }: FastifyRequest): boolean => {
    if (origin === undefined || listed.has('*') || listed.has(origin)) return false
    return !isOwnOrigin(origin, host !== undefined && isOurs(host) ? host : undefined)
  }
}

/** Whether a Host header names this service. */
function ownHosts({ host = '127.0.0.1', allowedHosts = [] }: Allowed): (header: string) => boolean {
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()))
  // No host name can be rebound to look like an address. Orchestrators probe by address.
  const anyAddress = !isLoopback(host)
  return (header) => {
    const name = hostName(header)
    return isLoopback(name) || names.has(name) || (anyAddress && isIP(name) !== 0)
  }
}

/** Without port, brackets and trailing dot; empty if it is malformed. */
function hostName(header: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header) ?? []
  return (address ?? name).toLowerCase().replace(/\.$/, '')
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: from, hostname } = new URL(origin)
  if (!/^https?:$/.test(protocol)) return false
  if (isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))) return true
  if (host === undefined) return false
  const own = `${protocol}//${host}`
  return URL.canParse(own) && new URL(own).host === from
}

function opensPage({ method, url, headers }: FastifyRequest): boolean {
  const [path = ''] = url.split('?')
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return method === 'GET' && isNavigation && pages.has(path)
}

function foreignOrigin(): ServiceError {
  return refused('Pages of this origin are not allowed; the operator lists allowed origins in SERVICE_CORS_ORIGINS')
}

function refused(message: string): ServiceError {
  return new ServiceError('validation_error', message, undefined, 403)
}
