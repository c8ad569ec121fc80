/**
 * `npm run bench:reversals`: accepts and reverts every contradiction of generated conversations and of the demo data, over HTTP, and
 * checks that no other fact is lost. It fails if one is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planDemo } from '../../packages/cli/src/demo/plan.js'
import { type DoorService, openDoorService } from '../quality/doors.js'
import { random as randomFrom } from '../random.js'
import { markdownTable } from '../table.js'
import { type Story, storyOf } from './stories.js'

const dayMs = 86_400_000
const firstDay = Date.UTC(2026, 0, 5, 9)
const count = Number(process.argv[2] ?? 200)

interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body?: object): Promise<T>
}

interface Contradiction {
  readonly id: string
  readonly status: 'open' | 'applied' | 'accepted' | 'reverted'
  readonly old: { readonly id: string }
  readonly new: { readonly id: string }
}
interface Read {
  readonly id: string
  readonly content: string
  readonly outdated?: readonly { readonly text: string }[]
}

const tally = { stories: 0, found: 0, checks: 0, lost: 0, notRestored: 0, demo: 0, demoChecks: 0, demoLost: 0 }
const failures: string[] = []

async function contradictionsOf(api: Api, user: string): Promise<readonly Contradiction[]> {
  const path = `/contradictions?limit=200&user_id=${encodeURIComponent(user)}`
  return (await api.get<{ contradictions: Contradiction[] }>(path)).contradictions
}

/** Whether a current memory among the results says it, in words that are not outdated. */
async function isRecalled(api: Api, user: string, question: string, words: string): Promise<boolean> {
  const { memories } = await api.post<{ memories: Read[] }>('/recall', { user_id: user, query: question })
  return memories.some(
    ({ content, outdated = [] }) =>
      content.toLowerCase().includes(words.toLowerCase()) &&
      !outdated.some(({ text }) => text.toLowerCase().includes(words.toLowerCase())),
  )
}

async function tellStory(api: Api, story: Story, user: string): Promise<void> {
  await api.post('/store', { user_id: user, content: story.told, created_at: new Date(firstDay).toISOString() })
  const at = new Date(firstDay + 30 * dayMs).toISOString()
  await api.post('/store', { user_id: user, content: story.change, created_at: at })
  tally.stories += 1
  const found = await contradictionsOf(api, user)
  if (found.length > 0) tally.found += 1
  for (const { id, status } of found) {
    if (status === 'open') await api.post(`/contradictions/${id}/accept`)
    await checkOthers(api, story, user, 'after accepting')
    await api.post(`/contradictions/${id}/revert`)
    await checkOthers(api, story, user, 'after reverting')
    tally.checks += 1
    if (!(await isRecalled(api, user, story.changed.question, story.changed.words))) {
      tally.notRestored += 1
      failures.push(`not restored: ${story.changed.words}\n  ${story.told}\n  ${story.change}`)
    }
  }
}

async function checkOthers(api: Api, { told, change, others }: Story, user: string, when: string): Promise<void> {
  for (const { question, words } of others) {
    tally.checks += 1
    if (await isRecalled(api, user, question, words)) continue
    tally.lost += 1
    failures.push(`lost ${when}: ${words}\n  ${told}\n  ${change}`)
  }
}

/* ------------------------------------------------------------------ demo data */

async function currentMemories(api: Api, user: string): Promise<Map<string, string>> {
  const path = `/memories?limit=500&user_id=${encodeURIComponent(user)}`
  const { memories } = await api.get<{ memories: Read[] }>(path)
  return new Map(
    memories.map(({ id, content, outdated = [] }) => [id, `${content} – ${outdated.map(({ text }) => text).join()}`]),
  )
}

async function playDemo(api: Api): Promise<void> {
  const user = 'demo'
  for (const { project, ttl, messages } of planDemo(firstDay + 400 * dayMs)) {
    // The client's field names are those of the API in camel case.
    const sent = messages.map(({ createdAt, ...message }) => ({ ...message, created_at: createdAt }))
    await api.post('/store', { user_id: user, messages: sent, ...(project && { project }), ...(ttl && { ttl }) })
  }
  for (const { id, status, old, new: fresh } of await contradictionsOf(api, user)) {
    const before = await currentMemories(api, user)
    // One whose memory a later contradiction has replaced is refused until that one is decided.
    if (!before.has(fresh.id) || (status === 'open' && !before.has(old.id))) continue
    tally.demo += 1
    if (status === 'open') await api.post(`/contradictions/${id}/accept`)
    const between = await currentMemories(api, user)
    await api.post(`/contradictions/${id}/revert`)
    const after = await currentMemories(api, user)
    for (const [memoryId, said] of before) {
      if (memoryId === old.id) continue
      tally.demoChecks += 2
      if (between.get(memoryId) !== said) failures.push(`demo, after accepting ${id}: ${said}`)
      if (memoryId !== fresh.id && after.get(memoryId) !== said) failures.push(`demo, after reverting ${id}: ${said}`)
    }
    if (!after.has(old.id)) failures.push(`demo, after reverting ${id}: ${old.id} is not current`)
    // The next one starts from the state in which this one is applied.
    await api.post(`/contradictions/${id}/accept`)
  }
  tally.demoLost = failures.filter((line) => line.startsWith('demo')).length
}

function apiOf({ app }: DoorService): Api {
  const call = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const json =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
    const { statusCode, payload } = await app.inject({ method, url: `/api/v1${path}`, ...json })
    if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${payload}`)
    return JSON.parse(payload) as T
  }
  return { get: (path) => call('GET', path), post: (path, body) => call('POST', path, body) }
}

const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-reversals-'))
const service = await openDoorService(dataDir, {})
try {
  service.setTime(firstDay + 400 * dayMs)
  const api = apiOf(service)
  const random = randomFrom(16)
  for (let index = 0; index < count; index += 1) await tellStory(api, storyOf(random), `story-${index}`)
  await playDemo(api)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
console.log(failures.join('\n'))
console.log(
  markdownTable(
    ['accepting and reverting', 'contradictions', 'checks', 'lost', 'not restored'],
    [
      ['generated', ...[tally.found, tally.checks, tally.lost, tally.notRestored].map(String)],
      ['demo data', ...[tally.demo, tally.demoChecks, tally.demoLost].map(String), '–'],
    ],
  ),
)
console.log(`${tally.stories} conversations, ${tally.found} with a contradiction`)
if (failures.length > 0) process.exitCode = 1
