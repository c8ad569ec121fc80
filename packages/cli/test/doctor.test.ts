/** Runs `keepsake doctor` against real faults: unknown hosts, closed ports, ports of other programs, damaged files. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { masterKey } from '../../server/test/support/harness.js'
import { checkDirectory, checkNode, spaceFinding } from '../src/doctor/machine.js'
import { connectionFault, nameFault, tlsFault, validity } from '../src/doctor/network.js'
import { keepsake } from './in-process.js'

let open: RealService
let guarded: RealService
let other: Server
let directory = ''

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'))
  open = await startRealService()
  guarded = await startRealService({ auth: true })
  other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  other.close()
  await open.close()
  await guarded.close()
})

interface Found {
  readonly check: string
  readonly status: string
  readonly seen: string
  readonly next?: string
}

/** Runs the checks of the service; the checks of the machine are tested below. */
async function examined(url: string, key?: string) {
  const env = { SERVICE_DATA_DIR: join(directory, 'none'), ...(key === undefined ? {} : { KEEPSAKE_API_KEY: key }) }
  const { code, output, errors } = await keepsake(['doctor', '--json', '--url', url], { env })
  expect(errors).toBe('')
  const { findings } = JSON.parse(output) as { findings: Found[] }
  for (const { status, next } of findings) expect(next === undefined).toBe(status === 'ok')
  return { code, fault: findings.find(({ status }) => status === 'fault'), findings, output }
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

describe('a data directory that does not exist', () => {
  it('is fine if the first start can create it', async () => {
    const findings = await checkDirectory(join(directory, 'one', 'two'))
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['data directory', 'ok'],
      ['disk space', expect.stringMatching(/ok|warning/)],
    ])
    expect(readdirSync(directory)).not.toContain('one')
  })

  it.each([
    ['below a file', () => join(directory, 'a-file', 'data'), 'can’t be read (ENOTDIR)'],
    ['that is a link to nothing', () => join(directory, 'a-link'), 'is a link to nothing'],
    ['below a link to nothing', () => join(directory, 'a-link', 'data'), 'is a link to nothing'],
    ['on a file system of the kernel', () => '/proc/keepsake/data', 'without room for files'],
  ])('%s is a fault with a next step', async (_where, path, seen) => {
    writeFileSync(join(directory, 'a-file'), '')
    rmSync(join(directory, 'a-link'), { force: true })
    symlinkSync(join(directory, 'nothing'), join(directory, 'a-link'))
    const findings = await checkDirectory(path())
    expect(findings).toMatchObject([{ status: 'fault', seen: expect.stringContaining(seen), next: expect.any(String) }])
  })
})

describe('keepsake doctor, checking a service', () => {
  it('finds no fault in a healthy service', async () => {
    const { code, fault, findings } = await examined(open.url)
    expect({ code, fault }).toEqual({ code: 0, fault: undefined })
    const checks = findings.map(({ check }) => check)
    for (const check of [
      'node',
      'settings',
      'model files',
      'name',
      'connection',
      'answer',
      'authentication',
      'storage',
      'languages',
    ])
      expect(checks, check).toContain(check)
    const languages = findings.find(({ check }) => check === 'languages')
    expect(languages).toMatchObject({
      status: 'ok',
      seen: expect.stringMatching(/understood: en; partly .*: de es fr/),
    })
  })

  it('detects an unknown host name', async () => {
    const { code, fault, findings } = await examined('http://keepsake.invalid')
    expect(code).toBe(3)
    expect(fault?.check).toBe('name')
    // The service is on another machine, so this machine is not checked.
    expect(findings.map(({ check }) => check)).toEqual(['name'])
  })

  it('detects a port where nothing is listening', async () => {
    const { code, fault } = await examined('http://127.0.0.1:1')
    expect({ code, fault }).toMatchObject({
      code: 3,
      fault: { check: 'connection', next: expect.stringMatching(/keepsake serve/) },
    })
  })

  it('detects a port that does not speak TLS', async () => {
    const { code, fault } = await examined(open.url.replace('http:', 'https:'))
    expect({ code, fault }).toMatchObject({
      code: 3,
      fault: { check: 'tls', next: expect.stringMatching(/http:\/\//) },
    })
  })

  it('detects another program on the port', async () => {
    const { code, fault } = await examined(`http://127.0.0.1:${portOf(other)}`)
    expect({ code, fault }).toMatchObject({ code: 3, fault: { check: 'answer', next: expect.stringMatching(/--url/) } })
  })

  it.each([
    ['a missing key', undefined, 'requires a key'],
    ['a wrong key', 'ksk_01m7fb64tte8vr369pd08xtccg_c2VjcmV0', 'wrong or revoked'],
  ])('detects %s without printing it', async (_what, key, seen) => {
    const { code, fault, output } = await examined(guarded.url, key)
    expect({ code, fault }).toMatchObject({
      code: 4,
      fault: { check: 'authentication', seen: expect.stringContaining(seen) },
    })
    if (key !== undefined) expect(output).not.toContain(key)
  })

  it('accepts a valid key and recognises the master key', async () => {
    const { key } = await guarded.createKey('ana')
    expect((await examined(guarded.url, key)).code).toBe(0)
    const { code, findings } = await examined(guarded.url, masterKey)
    expect(code).toBe(0)
    expect(findings.find(({ check }) => check === 'authentication')?.seen).toContain('master key')
  })

  it('reports the storage check of an unhealthy service as a fault', async () => {
    const error = { code: 'unavailable', message: 'x', request_id: 'r' }
    const body = { status: 'unhealthy', version: '0.1.0', checks: { storage: 'unreachable', models: 'ok' }, error }
    const fetch = async () => Response.json(body, { status: 503 })
    const { code, output } = await keepsake(['doctor', '--url', open.url], { fetch })
    expect(code).toBe(3)
    expect(output).toMatch(/FAULT {4}storage +unreachable\n +→ check the disk/)
  })

  it.each([
    ['CERT_HAS_EXPIRED', 'expired'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not trusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another name'],
    ['EPROTO', 'does not speak TLS'],
    ['ECONNRESET', 'ECONNRESET'],
  ])('explains the TLS error %s', (code, words) => {
    expect(tlsFault(code)).toMatchObject({ check: 'tls', status: 'fault', seen: expect.stringContaining(words) })
  })

  it('detects an unresponsive DNS server, a firewall, and a certificate that expires soon', () => {
    expect(nameFault('x', 'EAI_AGAIN').next).toContain('resolv.conf')
    expect(connectionFault(1, 'ETIMEDOUT').next).toContain('firewalls')
    const now = Date.parse('2026-11-15T00:00:00Z')
    expect(validity('Nov 20 00:00:00 2026 GMT', now)).toMatchObject({
      status: 'warning',
      seen: expect.stringMatching(/5 days/),
    })
    expect(validity('Mar 20 00:00:00 2027 GMT', now).status).toBe('ok')
  })
})

describe('keepsake doctor, checking this machine', () => {
  const offline = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    keepsake(['doctor', '--offline', ...args], { env })

  it('reports an invalid setting as a fault and an unknown one as a warning', async () => {
    const { code, output } = await offline({ SERVICE_PORT: 'high' })
    expect(code).toBe(2)
    expect(output).toMatch(/FAULT {4}settings +SERVICE_PORT: /)
    const unknown = await offline({ SERVICE_PROT: '1', SERVICE_DATA_DIR: directory })
    expect(unknown).toMatchObject({ code: 0, output: expect.stringMatching(/warning {2}settings +[^\n]*SERVICE_PROT/) })
  })

  it('checks a data directory while a service uses it', async () => {
    await open.store({ user_id: 'ana', content: 'John works at Acme Corp.' })
    const { code, output } = await offline({ SERVICE_DATA_DIR: open.dataDir })
    expect(code).toBe(0)
    expect(output).toMatch(/ok {7}lock +[^\n]*in use by another Keepsake process \(pid \d+\)/)
    expect(output).toMatch(/ok {7}store +1 memory of \d users?; the structure and its checksum are valid/)
  })

  it('creates no files and no directory', async () => {
    const empty = join(directory, 'empty')
    mkdirSync(empty, { mode: 0o700 })
    expect((await offline({}, '--data-dir', empty)).output).toContain('nothing has been stored yet')
    expect(readdirSync(empty)).toEqual([])
    const missing = join(directory, 'missing')
    expect((await offline({}, '--data-dir', missing)).output).toContain('the first start creates it')
    expect(readdirSync(directory)).not.toContain('missing')
  })

  it('detects a damaged store', async () => {
    const damaged = join(directory, 'damaged')
    mkdirSync(damaged, { mode: 0o700 })
    writeFileSync(join(damaged, 'keepsake.db'), 'no database at all, but long enough for a header '.repeat(40))
    const { code, output } = await offline({}, '--data-dir', damaged)
    expect(code).toBe(1)
    expect(output).toMatch(/FAULT {4}store +damaged: [^\n]+\n +→ [^\n]*restore a backup/)
  })

  it('detects a file instead of a directory, and a directory that others can access', async () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    expect((await offline({}, '--data-dir', file)).output).toContain('is not a directory')
    const wide = join(directory, 'wide')
    mkdirSync(wide)
    chmodSync(wide, 0o755)
    expect((await offline({}, '--data-dir', wide)).output).toMatch(/warning {2}permissions +others can access/)
  })

  it('does not open another user’s store as root, because it could leave files owned by root behind', async () => {
    const copy = join(directory, 'copy')
    cpSync(open.dataDir, copy, { recursive: true })
    const before = readdirSync(copy).sort()
    const findings = await checkDirectory(copy, 0)
    const isRoot = process.getuid?.() === 0
    // The directory belongs to the user who runs the test, which may be root.
    expect(findings.some(({ seen }) => seen.includes('not checked'))).toBe(!isRoot)
    if (!isRoot) expect(readdirSync(copy).sort()).toEqual(before)
  })

  it('detects an outdated runtime and a full disk', () => {
    expect(checkNode('v20.11.1').status).toBe('fault')
    expect(checkNode('v18.20.0').status).toBe('fault')
    expect(checkNode('v20.12.0').status).toBe('ok')
    expect(checkNode('v22.1.0').status).toBe('ok')
    expect([50, 500, 5000].map((free) => spaceFinding(free).status)).toEqual(['fault', 'warning', 'ok'])
  })
})
