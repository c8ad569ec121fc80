/** What tests that start a server of others need of its process. */
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'

const readyTimeoutMs = 60_000

/** Resolves when it says that it is ready; fails with the end of what it said where it ends or takes too long. */
export async function untilReady(child: ChildProcess, name: string, sign: string): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start in time: ${output}`)), readyTimeoutMs)
    const take = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-10_000)
      if (!output.includes(sign)) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready: ${output}`)))
  })
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
