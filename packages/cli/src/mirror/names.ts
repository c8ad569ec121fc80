/**
 * Names of folders and files in a mirror: the same for the same user, project and month on every system and forever. A name that is
 * safe everywhere stays as it is. Any other one is simplified, and the beginning of its SHA-256 keeps it apart from similar names:
 * `../Etc` must not leave the folder, and `Work` and `work` are one file on some systems.
 */
import { createHash } from 'node:crypto'

const safe = /^[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?$/
/** Names of devices on Windows. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/
const noProject = 'no-project'

export function pagePath(user: string, project: string | null, month: string): string {
  return `${folderName(user)}/${project === null ? noProject : folderName(project)}/${month}.md`
}

function folderName(name: string): string {
  if (safe.test(name) && !reserved.test(name) && name !== noProject) return name
  const simple = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '')
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10)
  return simple === '' ? hash : `${simple}-${hash}`
}

/** What `pagePath` can return. A list of files that somebody changed must not lead elsewhere. */
export function isPagePath(path: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,60}\/[a-z0-9][a-z0-9_-]{0,60}\/\d{4,6}-\d{2}\.md$/.test(path)
}
