/** Runs the program in a separate process: pipes, signals, and the service it starts. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRealService } from '../../client/test/real-service.js'
import { keepsake } from './in-process.js'

const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const timeout = 120_000

let silent: Server
beforeAll(async () => {
  // Accepts requests and never answers.
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
})
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
})

describe('keepsake as a program', () => {
  it('is found by npx in a clone', { timeout }, () => {
    const { status, stdout } = spawnSync('npx', ['--no-install', 'keepsake', '--version'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  it('exits quietly when its reader closes the pipe', { timeout }, async () => {
    const service = await startRealService()
    try {
      // Much more than fits into a pipe buffer.
      const content = Array.from({ length: 180 }, (_, at) => `Comet ${at} passed over the harbour of town ${at}.`)
      const messages = content.map((text) => ({ role: 'user', content: text }))
      await service.store({ user_id: 'ana', messages, metadata: { filler: 'x'.repeat(8_000) } })
      const line = `"${process.execPath}" "${program}" list --user ana --all --json | head -n 1`
      const child = spawn('bash', ['--norc', '-c', `set -o pipefail; ${line}`], {
        env: { PATH: process.env.PATH, KEEPSAKE_URL: service.url },
      })
      const [output, errors]: [string[], string[]] = [[], []]
      child.stdout.on('data', (chunk) => output.push(String(chunk)))
      child.stderr.on('data', (chunk) => errors.push(String(chunk)))
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect({ code, errors: errors.join('') }).toEqual({ code: 0, errors: '' })
      expect(JSON.parse(output.join('')).content).toContain('Comet')
    } finally {
      await service.close()
    }
  })

  it('exits quietly on Ctrl-C', { timeout }, async () => {
    const { port } = silent.address() as AddressInfo
    const asked = new Promise((resolve) => silent.once('request', resolve))
    const child = spawn(process.execPath, [program, 'list', '--user', 'ana', '--url', `http://127.0.0.1:${port}`])
    const said: string[] = []
    child.stdout.on('data', (chunk) => said.push(String(chunk)))
    child.stderr.on('data', (chunk) => said.push(String(chunk)))
    await asked
    child.kill('SIGINT')
    const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)))
    expect({ signal, said }).toEqual({ signal: 'SIGINT', said: [] })
  })
})

describe('keepsake serve', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-serve-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it('starts the service, lets options override the environment, and stops on SIGTERM', { timeout }, async () => {
    const data = join(directory, 'data')
    const args = [
      'serve',
      '--port',
      '0',
      '--data-dir',
      data,
      '--log-level',
      'fatal',
      '--set',
      'SERVICE_DECAY_ENABLED=false',
    ]
    const env = { PATH: process.env.PATH, SERVICE_PORT: 'not a port', SERVICE_DECAY_ENABLED: 'neither' }
    const child = spawn(process.execPath, [program, ...args], { cwd: directory, env })
    let said = ''
    const ready = new Promise<string>((resolve, reject) => {
      child.once('close', () => reject(new Error(said)))
      child.stderr.on('data', (chunk) => {
        said += chunk
      })
      child.stdout.on('data', (chunk) => {
        said += chunk
        const url = /API +(\S+)\/api\/v1/.exec(said)?.[1]
        if (url !== undefined) resolve(url)
      })
    })
    const url = await ready
    expect(said).toContain(data)
    expect(await (await fetch(`${url}/api/v1/health`)).json()).toMatchObject({ status: 'healthy' })
    child.removeAllListeners('close')
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it.each([
    [['--set', 'PORT=1'], 'SERVICE_NAME=VALUE'],
    [['--set', 'SERVICE_MASTER_KEY=0123'], 'secret'],
    [['--set', 'SERVICE_DATABASE_URL=postgres://'], 'secret'],
    [['--port', ''], '--port'],
    [['8080'], '8080'],
  ])('rejects %j with exit code 2', async (args, mention) => {
    const { code, output, errors } = await keepsake(['serve', ...args])
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^keepsake serve: [^\n]+\n/)
    expect(errors).toContain(mention)
    expect(errors).not.toContain('0123')
  })
})
