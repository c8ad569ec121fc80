/** Which service agents use: chosen by install, kept in one file. */
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../command.js'
import { type AgentSettings, type Environment, type Place, settingsIn } from './place.js'
import { writeAtomically } from './write-file.js'

const preferredPort = 8787

export interface Choice {
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly user?: string | undefined
  readonly dataDir?: string | undefined
}

/** What is chosen now counts; the rest stays as it was. */
export function settingsFor(place: Place, choice: Choice, env: Environment): AgentSettings {
  const known = settingsIn(place)
  const url = choice.url === undefined ? known?.url : validUrl(choice.url)
  const user = choice.user ?? known?.user ?? userNameIn(env)
  // A key belongs to one service and one user.
  const isSame = known !== undefined && known.url === url && known.user === user
  const apiKey = choice.apiKey ?? (isSame ? known.apiKey : undefined)
  return {
    ...(url === undefined ? {} : { url }),
    ...(apiKey === undefined ? {} : { apiKey }),
    user,
    dataDir: choice.dataDir ?? known?.dataDir ?? join(place.directory, 'data'),
    port: known?.port ?? preferredPort,
    ...(known?.masterKey === undefined ? {} : { masterKey: known.masterKey }),
  }
}

export function saveSettings(place: Place, settings: AgentSettings): void {
  writeAtomically(place.settings, `${JSON.stringify(settings, undefined, 2)}\n`, 0o600)
}

/** Keys and prompts travel unencrypted over http, so it is for this machine only. */
function validUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--url takes an http or https address')
  if (url.protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) {
    throw new UsageError('--url must be https: agents send what you type')
  }
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}

function userNameIn(env: Environment): string {
  if (env.KEEPSAKE_USER) return env.KEEPSAKE_USER
  try {
    return userInfo().username || 'default'
  } catch {
    // No account of that number, as in some containers.
    return 'default'
  }
}
