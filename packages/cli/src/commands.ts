/** The command table. Help, completions and tests use it. To add a command, add a file in `commands/` and an entry here. */
import type { Command } from './command.js'
import { auditVerify } from './commands/audit-verify.js'
import { backup } from './commands/backup.js'
import { bench } from './commands/bench.js'
import { completionsFor } from './commands/completions.js'
import { demo } from './commands/demo.js'
import { doctor } from './commands/doctor.js'
import { entitiesList, entitiesShow } from './commands/entities.js'
import { exportArchive } from './commands/export.js'
import { forget } from './commands/forget.js'
import { grantsList, grantsRevoke } from './commands/grants.js'
import { hook } from './commands/hook.js'
import { importCommand } from './commands/import.js'
import { install, installStatus, uninstall } from './commands/install.js'
import { itemsDelete, itemsGet, itemsList, itemsPut, itemsSearch } from './commands/items.js'
import { keysCreate, keysList, keysRevoke } from './commands/keys.js'
import { list } from './commands/list.js'
import { mcp } from './commands/mcp.js'
import { migrateToPostgres } from './commands/migrate.js'
import { profile } from './commands/profile.js'
import { recall } from './commands/recall.js'
import { release } from './commands/release.js'
import { serve } from './commands/serve.js'
import { spacesCreate, spacesDelete, spacesGrant, spacesList, spacesMembers, spacesRevoke } from './commands/spaces.js'
import { store } from './commands/store.js'
import { vacuum } from './commands/vacuum.js'

export const commands: readonly Command[] = [
  serve,
  store,
  recall,
  profile,
  list,
  release,
  forget,
  entitiesList,
  entitiesShow,
  itemsList,
  itemsGet,
  itemsPut,
  itemsSearch,
  itemsDelete,
  spacesList,
  spacesCreate,
  spacesMembers,
  spacesGrant,
  spacesRevoke,
  spacesDelete,
  keysCreate,
  keysList,
  keysRevoke,
  grantsList,
  grantsRevoke,
  doctor,
  demo,
  mcp,
  install,
  installStatus,
  uninstall,
  hook,
  importCommand,
  backup,
  exportArchive,
  migrateToPostgres,
  vacuum,
  auditVerify,
  bench,
  completionsFor(() => commands),
]
