/** Runs a step of the build in its own process and shows that it is still running. Writes to standard error: standard output has the log. */
import { spawn } from 'node:child_process'

/** Returns the exit code. What the program prints is shown after it has ended. */
export async function runStep(label, args, output = process.stderr, tickMs = 1000) {
  const startedAt = Date.now()
  output.write(output.isTTY ? `  ${label} ` : `${label} …\n`)
  const ticking = setInterval(() => {
    if (output.isTTY) output.write('.')
  }, tickMs)
  const { code, printed } = await run(args)
  clearInterval(ticking)
  if (output.isTTY) output.write(` ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  output.write(printed)
  return code
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const printed = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => printed.push(piece))
    child.once('error', reject)
    // A program that a signal ended has no code.
    child.once('close', (code) => resolve({ code: code ?? 1, printed: Buffer.concat(printed) }))
  })
}
