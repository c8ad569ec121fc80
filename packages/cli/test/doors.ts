/** A service that the client and the command line reach over a socket: the doors beside HTTP and MCP. */
import type { AddressInfo } from 'node:net'
import type { TestService } from '../../server/test/support/harness.js'

export type Address = () => Promise<string>

/** It begins to listen when somebody first asks for its address. */
export function listening({ app }: TestService): Address {
  let address: Promise<string> | undefined
  return () => {
    address ??= app.listen({ host: '127.0.0.1', port: 0 }).then(() => {
      // It listens on TCP, so there is a port.
      const { port } = app.server.address() as AddressInfo
      return `http://127.0.0.1:${port}`
    })
    return address
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** Where a request has its fields does not matter here. */
export function fieldsOf({ query, body }: { readonly query: Fields; readonly body?: unknown }): Fields {
  return { ...query, ...(typeof body === 'object' && body !== null ? body : {}) }
}
