/** The command line as a program of its own: the real streams, environment and network. */
import { main } from './main.js'

export async function runProgram(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveQuietly)
  process.exitCode = await main(process.argv.slice(2), process)
}

/** Who reads has seen enough: `keepsake list --all | head`. That is no failure of anybody's. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}
