/** Runs the command line as a program, with the real streams, environment and network. */
import { main } from './main.js'

export async function runProgram(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveQuietly)
  process.exitCode = await main(process.argv.slice(2), process)
}

/** The reader has closed the pipe, as in `keepsake list --all | head`. That is not an error. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}
