/** Imports an archive in a process of its own, so that its memory can be watched: `FILE` into `KEEPSAKE_TARGET`, a directory or a database. */
import { importArchive } from '../../packages/cli/dist/import/archive.js'

const target = process.env.KEEPSAKE_TARGET ?? ''
const path = process.argv[2] ?? ''
await importArchive({ path, target: target.startsWith('postgres') ? { databaseUrl: target } : { dataDir: target } })
