/**
 * Webhooks may only call addresses of the public internet, and nothing that only this machine or its network can reach
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, and the one for IPv6). A name is resolved and its addresses are checked
 * for each connection, so DNS rebinding gains nothing.
 */
import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const special = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local: the metadata service of cloud providers.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, prefix, 'ipv4')

/** The only allocated part of IPv6, of which some is not public: 6to4, Teredo, documentation. */
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

/** The address is not public. */
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

/** For a connection. If any address is not public, the look-up fails. */
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

/** The host of a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}
