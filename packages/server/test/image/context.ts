/** The build context of the image. */
import { cp, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/** All included files, as paths with `/`. Skips excluded folders unless something below them may be included. */
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
