/** The folder that an image is built from. */
import { cp, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/** All files that pass, as paths with `/`. What is not let in is not looked into, unless something below may be. */
export async function contextFiles(isLetIn: (path: string) => boolean, folder = ''): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(join(repository, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!isLetIn(path)) continue
    if (entry.isDirectory()) found.push(...(await contextFiles(isLetIn, path)))
    else found.push(path)
  }
  return found
}

export async function copyFiles(files: readonly string[], from: string, to: string): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true })
    await cp(join(from, file), join(to, file))
  }
}
