import { realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Whether node was started with this file. The real path counts: a module’s URL has no symbolic links. */
export function isProgram(moduleUrl: string): boolean {
  const [, started = ''] = process.argv
  try {
    return moduleUrl === pathToFileURL(realpathSync(started)).href
  } catch {
    // Started in another way, such as `node -e`.
    return false
  }
}
