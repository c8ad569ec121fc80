import { isIP } from 'node:net'

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.')
  if (isIP(host) === 6) return /^(?:0{0,4}:){2,7}0{0,3}1$/.test(host)
  return host.toLowerCase() === 'localhost'
}
