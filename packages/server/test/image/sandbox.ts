/**
 * A substitute for a container: this machine's files below a writable layer, entered with chroot. Needs root and a separate mount
 * namespace (`main.ts` enters one), so that the mounts disappear with the process.
 */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Sandbox {
  /** The path of its `/` on this machine. */
  readonly root: string
  run(words: readonly string[], how: How): { readonly status: number | null; readonly output: string }
  /** Runs the command as process 1 of a new process namespace. */
  start(words: readonly string[], how: How): ChildProcess
  /** Mounts a folder of this machine there, even below a read-only root. */
  mountFolder(folder: string, at: string): void
  makeReadOnly(): void
}

interface How {
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For example `1000:1000`. Default: root. */
  readonly user?: string
}

export function openSandbox(directory: string): Sandbox {
  const [root, changes, work] = ['root', 'changes', 'work'].map((name) => join(directory, name))
  if (root === undefined || changes === undefined || work === undefined) throw new Error('three folders')
  for (const folder of [root, changes, work]) mkdirSync(folder, { recursive: true })
  mount('-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${changes},workdir=${work}`, root)
  mount('-t', 'proc', 'proc', join(root, 'proc'))
  mount('--rbind', '/dev', join(root, 'dev'))
  mount('-t', 'tmpfs', 'tmpfs', join(root, 'tmp'))
  // These are often separate mounts, which the layer does not include.
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) if (existsSync(file)) copyFileSync(file, join(root, file))

  const entered = (words: readonly string[], { directory: at, user }: How): string[] => {
    const [uid, gid] = user?.split(':') ?? []
    const asUser = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid ?? uid}`, '--clear-groups']
    return ['chroot', root, ...asUser, 'env', `--chdir=${at}`, ...words]
  }
  return {
    root,
    run(words, how) {
      const [program = '', ...rest] = entered(words, how)
      const options = { env: how.environment, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
      const { status, stdout, stderr } = spawnSync(program, rest, options)
      return { status, output: `${stdout}${stderr}` }
    },
    start(words, how) {
      const options: SpawnOptions = { env: how.environment, stdio: ['ignore', 'pipe', 'pipe'] }
      return spawn('unshare', ['--pid', '--fork', '--kill-child', ...entered(words, how)], options)
    },
    mountFolder(folder, at) {
      mkdirSync(join(root, at), { recursive: true })
      mount('--bind', folder, join(root, at))
    },
    makeReadOnly: () => mount('-o', 'remount,ro', root),
  }
}

/** The process that `unshare --fork` waits for. Signals to `unshare` do not reach it. */
export function firstProcess(child: ChildProcess): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return Number(children.trim().split(' ')[0])
}

function mount(...words: string[]): void {
  const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount ${words.join(' ')}: ${stderr}`)
}
