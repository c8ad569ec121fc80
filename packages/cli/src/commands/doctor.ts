import { parseArgs } from 'node:util'
import { clockOf } from '../clock.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { type ConnectionValues, connect, connectionOptions, jsonOption, urlOf } from '../connection.js'
import type { Finding } from '../doctor/finding.js'
import { checkDirectory, checkModels, checkNode, checkSettings } from '../doctor/machine.js'
import { addressOf, checkConnection, checkName, checkTls } from '../doctor/network.js'
import { checkService } from '../doctor/service.js'
import { columns, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const options = {
  offline: { type: 'boolean', help: 'check only this machine: runtime, settings, model files, data directory' },
  'data-dir': { type: 'string', value: 'DIRECTORY', help: 'data directory to check; default from the settings' },
  ...jsonOption,
  ...connectionOptions,
} as const satisfies Options

export const doctor: Command = {
  name: 'doctor',
  summary: 'find out what is wrong and what to do next',
  usage: '',
  options,
  help: `Checks this machine (runtime, settings, model files, and the data directory: owner, disk space, lock, integrity), then the path to the
service step by step (name, connection, TLS, answer, authentication) and the health that the service reports. Each fault comes with the
next step. If the service is on another machine, this machine is checked only with --data-dir or --offline. Nothing is changed.

Exit codes: 0 no fault, otherwise that of the first fault: 2 settings, 3 service unreachable, 4 key, 6 rate limited, 1 anything else.`,
  examples: [
    'keepsake doctor',
    'keepsake doctor --offline --data-dir /var/lib/keepsake',
    'keepsake doctor --url https://memory.example.com --json',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    if (values['data-dir']?.trim() === '') throw new UsageError('--data-dir must not be empty')
    const url = addressUrl(values, io)
    const isLocal = isLoopback(url)
    const wantsMachine = values.offline === true || values['data-dir'] !== undefined || isLocal
    const findings: Finding[] = []
    if (wantsMachine) findings.push(...(await machine(values['data-dir'], io)))
    if (values.offline !== true) findings.push(...(await service(values, url, io)))
    if (values.json) await writeJson(io, { ok: findings.every(({ status }) => status !== 'fault'), findings })
    else await print(findings, io)
    return findings.find(({ status }) => status === 'fault')?.exitCode ?? exitCodes.fine
  },
}

function addressUrl(values: ConnectionValues, io: Io): URL {
  // The client validates the address and has the error messages.
  connect(values, io)
  return new URL(urlOf(values, io))
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

async function machine(named: string | undefined, io: Io): Promise<Finding[]> {
  const settings = await checkSettings(io)
  const directory = named ?? settings.dataDir
  return [
    checkNode(process.version),
    ...settings.findings,
    ...(await checkModels()),
    ...(directory === undefined || (settings.isPostgres && named === undefined) ? [] : await checkDirectory(directory)),
  ]
}

/** Stops at the first fault: each step needs the one before. */
async function service(values: ConnectionValues, url: URL, io: Io): Promise<Finding[]> {
  const address = addressOf(url)
  const findings: Finding[] = []
  const steps = [
    () => checkName(address),
    () => checkConnection(address),
    ...(address.isTls ? [() => checkTls(address, clockOf(io).now())] : []),
  ]
  for (const step of steps) {
    const finding = await step()
    findings.push(finding)
    if (finding.status === 'fault') return findings
  }
  return [...findings, ...(await checkService(connect(values, io), isLoopback(url)))]
}

async function print(findings: readonly Finding[], io: Io): Promise<void> {
  const paint = painterFor(io)
  const marks = { ok: paint('green', 'ok     '), warning: paint('yellow', 'warning'), fault: paint('red', 'FAULT  ') }
  const names = columns(findings.map(({ check }) => [check, '']))
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const [at, { status, seen, next }] of findings.entries()) {
    await writeLine(io.stdout, `${marks[status]}  ${(names[at] ?? '').padEnd(width)}  ${oneLine(seen)}`)
    if (next !== undefined) await writeLine(io.stdout, `${' '.repeat(9 + width)}  → ${oneLine(next)}`)
  }
}
