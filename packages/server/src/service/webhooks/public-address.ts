/**
 * Where a webhook may lead: addresses of the public internet, and nothing that only this machine or its network can reach
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, and the one for IPv6). A name is looked up anew for each
 * connection and its addresses are judged then, so that one which changes its mind (DNS rebinding) gains nothing.
 */
import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const special = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, where clouds keep their metadata.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast and reserved, the broadcast address too.
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, prefix, 'ipv4')

/** Of all of IPv6 only this is handed out, and some of it leads elsewhere: 6to4, Teredo, documentation. */
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, prefix, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** The address is none of the public internet. */
class NotPublic extends Error {
  override readonly name = 'NotPublic'
  readonly code = 'NOT_PUBLIC'
}

export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export const systemResolve: Resolve = (hostname, done) =>
  lookup(hostname, { all: true, verbatim: true }, (error, addresses) => done(error, addresses ?? []))

/** For a connection: one address that is not public, and there is none. */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses
      if (error || !first) return callback(error ?? new Error(`no address for ${hostname}`), '', 0)
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new NotPublic('the name has an address that is not public'), '', 0)
      if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }
}

/** Names in a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}
