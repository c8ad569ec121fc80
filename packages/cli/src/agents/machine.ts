import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Environment } from './place.js'
import type { Machine } from './programs.js'

/** Absolute paths: programs have their own working directory and often another PATH. */
export function machineOf(env: Environment): Machine {
  const script = fileURLToPath(new URL('../../keepsake.mjs', import.meta.url))
  // A clone that was never built as a whole has no bundle.
  const bundle = fileURLToPath(new URL('../../dist/agents/keepsake-hook.cjs', import.meta.url))
  const hook = existsSync(bundle) ? bundle : script
  return { env, platform: process.platform, node: process.execPath, script, hook }
}
