/**
 * Imports an archive in a separate process, so that its memory can be measured: `FILE` into `KEEPSAKE_TARGET`, a
 * directory or a database.
 */
import { importArchive } from '../../packages/cli/dist/import/archive.js'

const target = process.env.KEEPSAKE_TARGET ?? ''
const path = process.argv[2] ?? ''
await importArchive({ path, target: target.startsWith('postgres') ? { databaseUrl: target } : { dataDir: target } })
