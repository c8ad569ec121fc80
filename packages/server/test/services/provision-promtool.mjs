/** Prints the path of Prometheus's `promtool`: the one on PATH, or that of Debian's package, unpacked below `.cache/services`. */
import { join } from 'node:path'
import { onPath, unpackedPackages } from './debian-packages.mjs'

try {
  const installed = await onPath('promtool')
  const program = installed ?? join(await unpackedPackages('prometheus', ['prometheus']), 'usr/bin/promtool')
  process.stdout.write(program)
} catch (error) {
  const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
  process.stderr.write(`There is no promtool on PATH, and Debian's package could not be fetched (${reason}).\n`)
  process.exit(1)
}
