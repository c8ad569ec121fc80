/**
 * Runs the isolation suite through the client, the command line and the Python client, over a real socket. This is a small part of it; run
 * `npm run test:isolation -- --operations 20000` for more.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startRealService } from '../../client/test/real-service.js'
import type { Door } from '../../server/test/attack/door.js'
import { httpDoor } from '../../server/test/attack/http-door.js'
import { attackIsolation } from '../../server/test/attack/isolation-run.js'
import { oauthDoor } from '../../server/test/attack/oauth-door.js'
import { numberFrom } from '../../server/test/attack/settings.js'
import { attackSpaces } from '../../server/test/attack/space-run.js'
import { clientDoor } from './client-door.js'
import { commandDoor } from './command-door.js'
import { listening } from './doors.js'
import { pythonDoors } from './python-door.js'

/** A command takes much longer than a request, so fewer operations run. */
const operations = Math.ceil(numberFrom('KEEPSAKE_TEST_OPERATIONS', 1_600) / 8)
const seed = numberFrom('KEEPSAKE_TEST_SEED', 20260302)

/** Without Python, its client is not attacked. */
const python = pythonDoors()
afterAll(() => python?.close())
const attacked = ['client', 'command line', ...(python ? ['Python client'] : [])]

/** A command may send several requests, so the remaining rate limit differs between doors and is not compared. */
function withoutLimits(door: Door): Door {
  return {
    ...door,
    async perform(attempt) {
      const { left: _, ...outcome } = await door.perform(attempt)
      return outcome
    },
  }
}

it(`keeps 12 users isolated from each other in ${operations} operations through client and command line (seed ${seed})`, {
  timeout: 120_000 + operations * 80,
}, async () => {
  const started = performance.now()
  const report = await attackIsolation({
    seed,
    operations,
    users: 12,
    together: 4,
    alone: numberFrom('KEEPSAKE_TEST_ALONE', 2),
    // Too few operations may not cover every case.
    requireAll: operations >= 5_000,
    openDoors(service) {
      const address = listening(service)
      // Grants exist only because somebody uses OAuth.
      const doors = [httpDoor(service.app), clientDoor(address), commandDoor(address), oauthDoor(service)]
      if (python) doors.push(python.door(address))
      return doors.map(withoutLimits)
    },
    progress: (text) => (operations > 10_000 ? console.log(text) : undefined),
  })
  const through = (door: string) =>
    [...report.statuses].filter(([name]) => name.includes(` ${door} `)).reduce((sum, [, count]) => sum + count, 0)
  console.log(
    `isolation, seed ${seed}: ${attacked.map((door) => `${through(door)} through the ${door}`).join(', ')}, ${report.compared} compared, ${Math.round((performance.now() - started) / 1000)} s`,
  )
  for (const door of attacked) {
    expect(through(door), door).toBeGreaterThan(operations / 12)
    const accepted = [...report.statuses].filter(([name]) => name.endsWith(` ${door} 200`))
    expect(accepted.length, door).toBeGreaterThan(2)
    const ofItems = accepted.filter(([name]) => name.includes('/items'))
    if (operations >= 500) expect(ofItems.length, `items, ${door}`).toBeGreaterThan(1)
  }
})

it(`opens a space only to its members through client and command line (seed ${seed})`, {
  timeout: 120_000 + operations * 80,
}, async () => {
  const { results } = await attackSpaces({
    seed,
    operations,
    openDoors(service) {
      const address = listening(service)
      return [clientDoor(address), commandDoor(address), ...(python ? [python.door(address)] : [])]
    },
  })
  for (const door of attacked) {
    expect(results.get(`owner ${door} accepted`), door).toBeGreaterThan(2)
    expect(results.get(`none ${door} refused`), door).toBeGreaterThan(5)
    expect(results.get(`none ${door} accepted`), door).toBeUndefined()
  }
})

it('never shows one user the data of another when run as separate processes', { timeout: 120_000 }, async () => {
  const service = await startRealService({ auth: true })
  const keys = { alpha: (await service.createKey('alpha')).key, bravo: (await service.createKey('bravo')).key }
  const program = fileURLToPath(new URL('../keepsake.mjs', import.meta.url))
  function run(key: string, args: readonly string[]): Promise<{ code: number | null; told: string }> {
    const env = { PATH: process.env.PATH ?? '', KEEPSAKE_URL: service.url, KEEPSAKE_API_KEY: key }
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const told: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => told.push(String(chunk)))
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, told: told.join('') })))
  }
  const stored = await run(keys.alpha, ['store', 'ALPHAZEBRA works at Acme Corp.'])
  expect(stored.code).toBe(0)
  const [id = ''] = stored.told.match(/mem_[0-9a-z]{26}/) ?? []
  expect((await run(keys.alpha, ['items', 'put', 'notes', 'work', 'Acme item'])).code).toBe(0)
  const attempts = [
    ['items', 'list'],
    ['items', 'list', '--user', 'alpha'],
    ['items', 'get', 'notes', 'work', '--user', 'alpha'],
    ['items', 'search', 'item', '--user', 'alpha'],
    ['items', 'delete', 'notes', 'work', '--user', 'alpha'],
    ['items', 'delete', '--namespace', 'notes', '--yes', '--user', 'alpha'],
    ['list', '--all'],
    ['list', '--user', 'alpha'],
    ['recall', 'ALPHAZEBRA'],
    ['recall', '--user', 'alpha', 'Who works at Acme Corp?'],
    ['entities'],
    ['entities', 'show', 'ALPHAZEBRA'],
    ['forget', id],
    ['forget', '--all', '--yes', '--user', 'alpha'],
    ['keys', 'list'],
  ]
  for (const args of attempts) {
    const { told } = await run(keys.bravo, args)
    // An error may repeat the requested name, and nothing else.
    const asked = args.join(' ')
    for (const word of ['ALPHAZEBRA', id]) if (!asked.includes(word)) expect(told, asked).not.toContain(word)
    expect(told, asked).not.toContain('Acme')
  }
  expect((await run(keys.alpha, ['list'])).told).toContain('ALPHAZEBRA works at Acme Corp.')
  expect((await run(keys.alpha, ['items', 'get', 'notes', 'work'])).told).toContain('Acme item')
  await service.close()
})
