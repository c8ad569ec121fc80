/** Helpers for tests that start PostgreSQL or Redis. */
import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const readyTimeoutMs = 60_000

/** Resolves when the server prints `sign`. Rejects with the end of its output if it exits first or takes too long. */
export async function untilReady(child: ChildProcess, name: string, sign: string): Promise<void> {
  let output = ''
  let timer: NodeJS.Timeout | undefined
  const ready = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not start in time: ${output}`)), readyTimeoutMs)
    const take = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-10_000)
      if (output.includes(sign)) resolve()
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} exited with ${code} before it was ready: ${output}`)))
  })
  await ready.finally(() => clearTimeout(timer))
}

/** Below the ports that Linux assigns automatically (32768 and up): nothing else takes one while a server restarts. */
const ports = { lowest: 20_000, highest: 32_000 }

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(ports.lowest, ports.highest)
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isListening) await new Promise((resolve) => probe.close(resolve))
  return isListening
}
