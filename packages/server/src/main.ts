/** The entry of the service. It loads the program from the bundle where there is one, because 600 modules take a second to load. */
import { existsSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { loadBundled } from './boot/bundled.js'
import type * as Program from './boot/program.js'

/** The only option is `--env-file PATH`: a file to read instead of `.env` in the data directory. */
export async function main(args: readonly string[] = []): Promise<void> {
  await (await program()).main(args)
}

export async function compose(...given: Parameters<typeof Program.compose>): ReturnType<typeof Program.compose> {
  return (await program()).compose(...given)
}

export async function serveMcpOverStdio(
  ...given: Parameters<typeof Program.serveMcpOverStdio>
): ReturnType<typeof Program.serveMcpOverStdio> {
  return (await program()).serveMcpOverStdio(...given)
}

async function program(): Promise<typeof Program> {
  // The bundle was made from this module.
  return (loadBundled('program') as typeof Program | undefined) ?? import('./boot/program.js')
}

// The real path: a module's URL has no symbolic links, but the path on the command line may.
const [, typed = '', ...args] = process.argv
if (existsSync(typed) && import.meta.url === pathToFileURL(realpathSync(typed)).href) await main(args)
