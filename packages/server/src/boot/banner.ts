import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Config } from '../config/config.js'
import { databaseAddress } from '../config/database-url.js'

/** Printed when the service is up: its addresses, where its data is, and a command to try next. */
export function banner(config: Config, address: AddressInfo, version: string): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const reachable = host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host
  const root = `http://${reachable}:${address.port}`
  const lines = [
    '',
    `  Keepsake ${version} is ready`,
    '',
    `  API             ${root}/api/v1`,
    `  Dashboard       ${root}/dashboard`,
    `  Documentation   ${root}/docs  and  ${root}/redoc`,
    `  Data            ${dataOf(config)}`,
    `  Authentication  ${config.authEnabled ? 'on' : 'off: anyone who reaches this address can read and write'}`,
    '',
    '  Try:',
    ...(config.authEnabled ? keyCommand(root) : storeCommand(root)),
    '',
    '',
  ]
  return lines.join('\n')
}

function dataOf({ databaseUrl, dataDir }: Config): string {
  return (databaseUrl === undefined ? undefined : databaseAddress(databaseUrl)?.shown) ?? resolve(dataDir)
}

function storeCommand(root: string): string[] {
  return [
    `    curl -s ${root}/api/v1/store -H 'content-type: application/json' \\`,
    `      -d '{"user_id":"ana","content":"John works at Acme Corp. I love hiking."}'`,
  ]
}

function keyCommand(root: string): string[] {
  return [
    `    curl -s ${root}/api/v1/keys -H "authorization: Bearer $SERVICE_MASTER_KEY" \\`,
    `      -H 'content-type: application/json' -d '{"user_id":"ana","name":"first key"}'`,
  ]
}
