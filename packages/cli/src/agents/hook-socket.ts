/**
 * The running service answers hooks itself, through a socket in the agents' folder. Starting Node for each prompt takes longer than
 * the answer, so the registered command asks here with curl first, and starts Node only if nobody listens.
 */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerHook } from './hook.js'
import type { Environment, Place } from './place.js'
import { readAll } from './stdin.js'

/** Systems cut longer paths off. Windows has no such sockets. */
const maxPathBytes = 100

export function hasSocket({ socket }: Place, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && Buffer.byteLength(socket) <= maxPathBytes
}

/** Undefined where the system has no such sockets. The process may end while it is open. */
export async function openHookSocket(place: Place, env: Environment): Promise<Server | undefined> {
  if (!hasSocket(place, process.platform)) return undefined
  // The folder of the session that happened to start the service.
  const { CLAUDE_PROJECT_DIR: _, ...own } = env
  const server = createServer((request, response) => {
    answer(request, response, own).catch((error: unknown) => {
      process.stderr.write(`keepsake hook: ${error instanceof Error ? error.message : 'failed'}\n`)
      // The agent goes on without memory.
      if (response.headersSent) response.destroy()
      else response.end()
    })
  })
  rmSync(place.socket, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place.socket, resolve)
  })
  chmodSync(place.socket, 0o600)
  server.unref()
  return server
}

async function answer(request: IncomingMessage, response: ServerResponse, env: Environment): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://keepsake')
  if (pathname !== '/hook') {
    response.writeHead(404).end()
    return
  }
  const printed = await answerHook(await readAll(request), env, searchParams.has('store-prompts'))
  response.end(printed === '' ? '' : `${printed}\n`)
}
