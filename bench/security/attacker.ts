/** Starts an attacker's program and returns its summary. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Attack {
  /** Counts of the answers that it got, by status. */
  stop(): Promise<Readonly<Record<string, number>>>
}

/** Resolves once the attack has begun. */
export async function startAttack(program: 'flooder.ts' | 'starver.ts', options: readonly string[]): Promise<Attack> {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', file, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      if (output.includes('attacking')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the attacker exited with ${code}`)))
  })
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await ended
      // The last line that it printed.
      return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Record<string, number>
    },
  }
}

export function summaryOf(answers: Readonly<Record<string, number>>): string {
  return Object.entries(answers)
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}
