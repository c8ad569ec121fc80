import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import { addressesOf, type Endpoint } from '../endpoint.js'

export interface KnownRoutes {
  /** The error for an unknown path, or for a method that its path does not support. Sets `Allow` for the latter. */
  notFound(url: string, reply: FastifyReply): ServiceError
}

export function knownRoutes(endpoints: readonly Endpoint[]): KnownRoutes {
  const byAddress = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  for (const endpoint of endpoints) {
    for (const address of addressesOf(endpoint)) {
      const escaped = address.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')
      const known = byAddress.get(address) ?? { pattern: new RegExp(`^${escaped}$`), methods: new Set<string>() }
      known.methods.add(endpoint.method)
      if (endpoint.method === 'GET') known.methods.add('HEAD')
      byAddress.set(address, known)
    }
  }
  const methodsAt = (path: string): Set<string> => {
    const fitting = [...byAddress.values()].filter(({ pattern }) => pattern.test(path))
    return new Set(fitting.flatMap(({ methods }) => [...methods]))
  }
  return {
    notFound(url, reply) {
      const path = url.split(/[?#]/, 1)[0] ?? ''
      const methods = methodsAt(path)
      if (methods.size === 0) {
        const isSlash = path.endsWith('/') && methodsAt(path.slice(0, -1)).size > 0
        const next = isSlash ? 'remove the slash at its end' : 'see /docs'
        return new ServiceError('not_found', `There is nothing at this address; ${next}`)
      }
      const allowed = [...methods].join(', ')
      reply.header('allow', allowed)
      return new ServiceError(
        'not_found',
        `This address does not support that method; it supports ${allowed}`,
        undefined,
        405,
      )
    },
  }
}
