/** Opens a service on a socket for the client and the command line: the doors other than HTTP and MCP. */
import type { AddressInfo } from 'node:net'
import type { TestService } from '../../server/test/support/harness.js'

export type Address = () => Promise<string>

/** Starts listening when the address is first requested. */
export function listening({ app }: TestService): Address {
  let address: Promise<string> | undefined
  return () => {
    address ??= app.listen({ host: '127.0.0.1', port: 0 }).then(() => {
      // The server listens on TCP, so there is a port.
      const { port } = app.server.address() as AddressInfo
      return `http://127.0.0.1:${port}`
    })
    return address
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** The names of an item, from the place in a path. */
export function placeIn(id: string): { readonly namespace: string; readonly key: string } {
  const [namespace = '', ...key] = id.split('/')
  return { namespace, key: key.join('/') }
}

/** The fields of a request, from the query and the body. */
export function fieldsOf({ query, body }: { readonly query: Fields; readonly body?: unknown }): Fields {
  return { ...query, ...(typeof body === 'object' && body !== null ? body : {}) }
}
