import { isIPv6 } from 'node:net'

/**
 * One IPv6 customer usually has a whole /64, so a /64 counts as one client. An IPv4-mapped IPv6 address counts as its IPv4 address.
 * Anything else is returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address
  // The URL parser writes every spelling of an address in one canonical form. Zones are local, so they are cut off.
  const canonical = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped) {
    const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
