/** Which project a directory belongs to. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { idOf } from './id.js'

/**
 * The name of the repository with a hash of its path, or of the directory outside a repository. Work trees of a repository share
 * one name. The home directory and the root are no project: what is said there belongs to the user.
 */
export function projectOf(directory: string | undefined, home: string): string | undefined {
  if (directory === undefined || directory === '') return undefined
  const start = real(resolve(directory))
  const root = repositoryOf(start) ?? start
  if (root === real(home) || dirname(root) === root) return undefined
  const name = basename(root).replaceAll(/[^\w.-]/g, '_')
  return `${name.slice(0, 64)}-${idOf(root).slice(0, 8)}`
}

function repositoryOf(start: string): string | undefined {
  for (let at = start; ; at = dirname(at)) {
    const git = join(at, '.git')
    const kind = statSync(git, { throwIfNoEntry: false })
    if (kind?.isDirectory()) return at
    if (kind?.isFile()) return mainRepository(git) ?? at
    if (dirname(at) === at) return undefined
  }
}

/** The `.git` file of a work tree names `…/repository/.git/worktrees/name`. That of a submodule names something else. */
function mainRepository(file: string): string | undefined {
  const [, target] = /^gitdir: (.+)/.exec(readFileSync(file, 'utf8')) ?? []
  if (target === undefined) return undefined
  const folder = dirname(resolve(dirname(file), target.trim()))
  const git = dirname(folder)
  return basename(folder) === 'worktrees' && basename(git) === '.git' ? real(dirname(git)) : undefined
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It may have been deleted meanwhile; its name still tells projects apart.
    return path
  }
}
