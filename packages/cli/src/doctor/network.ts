/** Checks the path to a service step by step: name resolution, connection, TLS. Each step can fail for different reasons. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { exitCodes } from '../command.js'
import { type Finding, fault, ok, warning } from './finding.js'

const { unreachable } = exitCodes
const patienceMs = 5_000
const dayMs = 86_400_000

export interface Address {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

export function addressOf(url: URL): Address {
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isTls }
}

export async function checkName({ host }: Address): Promise<Finding> {
  if (isIP(host) !== 0) return ok('name', `${host} is an IP address`)
  try {
    const found = await lookup(host, { all: true })
    return ok('name', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return nameFault(host, codeOf(error))
  }
}

export function nameFault(host: string, code: string): Finding {
  if (code === 'EAI_AGAIN') {
    return fault('name', `no name server answered for ${host}`, 'check the network and /etc/resolv.conf', unreachable)
  }
  return fault(
    'name',
    `${host} can’t be resolved (${code})`,
    'check the spelling of --url or KEEPSAKE_URL',
    unreachable,
  )
}

export async function checkConnection({ host, port }: Address): Promise<Finding> {
  const problem = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs })
    const end = (result: string | undefined) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('ETIMEDOUT'))
    socket.once('error', (error) => end(codeOf(error)))
  })
  return problem === undefined ? ok('connection', `port ${port} accepts connections`) : connectionFault(port, problem)
}

export function connectionFault(port: number, code: string): Finding {
  if (code === 'ECONNREFUSED') {
    const next = 'start the service (keepsake serve), or check the port in --url'
    return fault('connection', `nothing is listening on port ${port}`, next, unreachable)
  }
  const next = 'check firewalls, routes and proxies along the way'
  return fault('connection', `port ${port} can’t be reached (${code})`, next, unreachable)
}

export async function checkTls({ host, port }: Address, nowMs: number): Promise<Finding> {
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connectTls({ host, port, timeout: patienceMs, ...name })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('secureConnect', () => end(validity(socket.getPeerCertificate().valid_to, nowMs)))
    socket.once('timeout', () => end(tlsFault('ETIMEDOUT')))
    socket.once('error', (error) => end(tlsFault(codeOf(error))))
  })
}

export function validity(validTo: string, nowMs: number): Finding {
  const days = Math.floor((Date.parse(validTo) - nowMs) / dayMs)
  if (days >= 14) return ok('tls', `the certificate is valid for ${days} days`)
  return warning('tls', `the certificate expires in ${days} days`, 'renew it')
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export function tlsFault(code: string): Finding {
  if (code === 'CERT_HAS_EXPIRED')
    return fault('tls', 'the certificate has expired', 'renew it at the proxy', unreachable)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return fault(
      'tls',
      'the certificate is for another name',
      'use the name it was issued for, or have it reissued',
      unreachable,
    )
  }
  if (untrusted.has(code)) {
    const next = 'let Node trust the authority that signed it: NODE_EXTRA_CA_CERTS=authority.pem'
    return fault('tls', `the certificate is not trusted here (${code})`, next, unreachable)
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return fault(
      'tls',
      'the port does not speak TLS',
      'the service itself speaks HTTP: use http://, or a proxy',
      unreachable,
    )
  }
  return fault('tls', `no TLS connection (${code})`, 'check the proxy in front of the service', unreachable)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
