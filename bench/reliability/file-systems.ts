/** File systems for the tests: an image on a loop device whose power can be cut, and a small one in memory. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const execute = promisify(execFile)

const mounted = new Set<string>()

export async function makeImage(file: string, megabytes: number): Promise<void> {
  await execute('truncate', ['--size', `${megabytes}M`, file])
  await execute('mkfs.ext4', ['-q', '-F', file])
}

export async function mountImage(file: string, at: string): Promise<void> {
  await mkdir(at, { recursive: true })
  await execute('mount', ['-o', 'loop', file, at])
  mounted.add(at)
  // PostgreSQL runs as another user.
  await execute('chmod', ['755', at])
}

export async function mountMemory(at: string, megabytes: number): Promise<void> {
  await mkdir(at, { recursive: true })
  await execute('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', at])
  mounted.add(at)
}

export async function unmount(at: string): Promise<void> {
  if (!mounted.delete(at)) return
  await execute('umount', [at]).catch(() => execute('umount', ['--lazy', at]))
}

/** As after disk errors: the kernel rejects all writes, even to open files. */
export async function stopWriting(at: string): Promise<void> {
  await execute('mount', ['-o', 'remount,abort', at])
}

/** Removes the mounts of an interrupted run. */
export async function unmountAll(): Promise<void> {
  for (const at of [...mounted].reverse()) await unmount(at)
}

/** Undefined if images can be mounted; otherwise the reason why not. */
export async function mountObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'needs Linux'
  if (process.getuid?.() !== 0) return 'needs root, to mount file systems'
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-mount-'))
  const [image, at] = [join(directory, 'image'), join(directory, 'at')]
  try {
    await makeImage(image, 8)
    await mountImage(image, at)
    return undefined
  } catch (error) {
    return `needs a loop device and ext4 (${firstLine(error)})`
  } finally {
    await unmount(at)
    await rm(directory, { recursive: true, force: true })
  }
}

export async function straceObstacle(): Promise<string | undefined> {
  return execute('strace', ['-o', '/dev/null', 'true']).then(
    () => undefined,
    (error: unknown) => `needs strace (${firstLine(error)})`,
  )
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n').find((line) => !line.startsWith('Command failed')) ?? text
}
