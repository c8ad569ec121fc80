/** Runs the command line as a program, with the real streams, environment and network. */

export async function runProgram(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveQuietly)
  process.exitCode = await run(process.argv.slice(2))
}

/** A client waits for the first answer of `keepsake mcp`, so no other command is loaded. */
async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name !== 'mcp' || rest.some((arg) => arg === '--help' || arg === '-h')) {
    const { main } = await import('./main.js')
    return main(args, process)
  }
  const [{ mcp }, { runCommand }] = await Promise.all([import('./commands/mcp.js'), import('./run-command.js')])
  return runCommand(mcp, rest, process)
}

/** The reader has closed the pipe, as in `keepsake list --all | head`. That is not an error. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}
