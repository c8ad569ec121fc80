/** Stops the service that hooks started. */
import { rmSync } from 'node:fs'
import { isOurs, objectIn, type Place } from './place.js'
import { send } from './request.js'

/** Only if it answers at its address: the process id may belong to something else by now. */
export async function stopService(place: Place): Promise<boolean> {
  const { pid, url } = objectIn(place.running) ?? {}
  if (typeof pid !== 'number' || typeof url !== 'string' || !isOurs(pid)) return false
  const answer = await send({ url }, { method: 'GET', path: '/livez', timeoutMs: 2000 }).catch(() => undefined)
  if (answer?.status !== 200) return false
  process.kill(pid, 'SIGTERM')
  for (const file of [place.running, place.socket]) rmSync(file, { force: true })
  return true
}
