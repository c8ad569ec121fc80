import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hasSocket } from './hook-socket.js'
import { type Environment, placeIn } from './place.js'
import type { Machine } from './programs.js'

/** Absolute paths: programs have their own working directory and often another PATH. */
export function machineOf(env: Environment, isServiceElsewhere = false): Machine {
  const script = fileURLToPath(new URL('../../keepsake.mjs', import.meta.url))
  // A clone that was never built as a whole has no bundle.
  const bundle = fileURLToPath(new URL('../../dist/agents/keepsake-hook.cjs', import.meta.url))
  const hook = existsSync(bundle) ? bundle : script
  const machine = { env, platform: process.platform, node: process.execPath, script, hook }
  const place = placeIn(env)
  return isServiceElsewhere || !hasSocket(place, process.platform) ? machine : { ...machine, socket: place.socket }
}
