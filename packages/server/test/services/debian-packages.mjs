/** Unpacks Debian packages and their dependencies into a directory, without root and without installing anything. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const commandTimeoutMs = 180_000

/** Ignored by git, kept between runs. */
export const servicesCache = fileURLToPath(new URL('../../../../.cache/services/', import.meta.url))

/** Returns the directory with the unpacked files, which are downloaded once and cached. */
export async function unpackedPackages(name, packages) {
  const target = join(servicesCache, name)
  // Created last: a directory without it is an incomplete download.
  const complete = join(target, '.complete')
  if ((await readdir(target).catch(() => [])).includes('.complete')) return target
  await mkdir(servicesCache, { recursive: true })
  const work = await mkdtemp(join(servicesCache, `${name}-`))
  try {
    const names = await neededPackages(packages)
    await run('apt-get', ['download', ...names], { cwd: work, timeout: commandTimeoutMs })
    const root = join(work, 'root')
    await mkdir(root)
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', join(work, file), root], { timeout: commandTimeoutMs })
    }
    await rm(target, { recursive: true, force: true })
    await rename(root, target)
    await writeFile(complete, names.join('\n'))
    return target
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The packages and those of their dependencies that this machine lacks. */
async function neededPackages(packages) {
  const simulated = ['-s', '--no-install-recommends', 'install', ...packages]
  const { stdout } = await run('apt-get', simulated, {
    timeout: commandTimeoutMs,
    env: { ...process.env, LC_ALL: 'C' },
  })
  const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, each]) => each)
  return [...new Set([...packages, ...missing])]
}

/** The library path for the dynamic linker: the folders with unpacked libraries. */
export async function libraryPath(root) {
  const folders = new Set()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (/\.so(\.|$)/.test(entry.name)) folders.add(entry.parentPath ?? entry.path ?? dirname(root))
  }
  return [...folders].join(':')
}

/** The full path of a program on PATH, or undefined. */
export async function onPath(program) {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    if (folder !== '' && (await readdir(folder).catch(() => [])).includes(program)) return join(folder, program)
  }
  return undefined
}
