/** `npm run test:isolation -- --operations 100000 --seed 7` runs more operations, or repeats a run. */
import { expect, it } from 'vitest'
import { httpDoor } from '../attack/http-door.js'
import { attackIsolation } from '../attack/isolation-run.js'
import { mcpDoor } from '../attack/mcp-door.js'
import { mem0Door } from '../attack/mem0-door.js'
import { oauthDoor } from '../attack/oauth-door.js'
import { numberFrom } from '../attack/settings.js'
import { attackSpaces } from '../attack/space-run.js'

/** With a language model, answers differ between two services, so only leaks are checked. */
const withLanguageModel = Boolean(process.env.KEEPSAKE_TEST_LLM)
const operations = numberFrom('KEEPSAKE_TEST_OPERATIONS', withLanguageModel ? 600 : 800)
const seed = numberFrom('KEEPSAKE_TEST_SEED', 20260302)
const spaceOperations = Math.ceil(operations / 2)
const alone = withLanguageModel ? 0 : numberFrom('KEEPSAKE_TEST_ALONE', 5)

it(`shows none of 20 users another user’s data in ${operations} random operations, and answers as if the others did not exist (seed ${seed})`, {
  timeout: 60_000 + operations * 60,
}, async () => {
  const started = performance.now()
  const report = await attackIsolation({
    seed,
    operations,
    users: 20,
    together: 8,
    alone,
    // A short run does not reach operations that depend on earlier ones, such as those on a created webhook.
    requireAll: !withLanguageModel && operations >= 10_000,
    openDoors: (service) => [httpDoor(service.app), mcpDoor(service.app), oauthDoor(service), mem0Door(service.app)],
    progress: (text) => (operations > 10_000 ? console.log(text) : undefined),
  })
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    `isolation, seed ${seed}: ${report.operations} operations, ${Math.round((100 * report.accepted) / report.unlimited)}% of those with unlimited keys accepted, ${report.compared} compared with a service without the others, ${seconds} s`,
  )
  expect(report.operations).toBeGreaterThanOrEqual(operations)
  expect(report.accepted / report.unlimited).toBeGreaterThan(0.5)
})

it(`opens a space only to its members, by their role at that moment, in ${spaceOperations} random operations (seed ${seed})`, {
  timeout: 60_000 + spaceOperations * 60,
}, async () => {
  const { results } = await attackSpaces({
    seed,
    operations: spaceOperations,
    openDoors: (service) => [httpDoor(service.app), mcpDoor(service.app), oauthDoor(service), mem0Door(service.app)],
  })
  const through = ['HTTP', 'MCP', 'OAuth'].map((door) => {
    const counts = [...results].filter(([name]) => name.includes(` ${door} `)).map(([, count]) => count)
    return `${counts.reduce((sum, count) => sum + count, 0)} through ${door}`
  })
  console.log(`spaces, seed ${seed}: ${spaceOperations} operations, ${through.join(', ')}`)
  for (const door of ['HTTP', 'MCP', 'OAuth']) {
    for (const role of ['reader', 'writer', 'owner']) {
      expect(results.get(`${role} ${door} accepted`), `${role} ${door}`).toBeGreaterThan(0)
    }
    expect(results.get(`none ${door} refused`), door).toBeGreaterThan(5)
    for (const nobody of ['none', 'expired', 'project', 'project, read', 'application, prefix']) {
      expect(results.get(`${nobody} ${door} accepted`), `${nobody} ${door}`).toBeUndefined()
    }
  }
  for (const kind of ['read', 'write', 'application', 'application, read']) {
    expect(results.get(`${kind} OAuth accepted`), kind).toBeUndefined()
  }
})
