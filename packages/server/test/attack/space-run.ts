/**
 * Users share spaces, and owners grant, change and end memberships all the time. A table of memberships says what each request may do:
 * every answer through every door is checked against it, and against the answer for a space that does not exist. Each space has a word
 * that all of its memories contain and no other memory does.
 */
import { masterKey, startService, type TestService } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'
import type { Attempt, Door, Outcome } from './door.js'
import type { OpenDoors } from './isolation-world.js'
import { quickKey } from './quick-key.js'
import { type Random, seededRandom } from './random.js'

export interface SpaceOptions {
  readonly seed: number
  readonly operations: number
  readonly openDoors: OpenDoors
}

export interface SpaceReport {
  readonly operations: number
  /** By role, door and kind of result. */
  readonly results: ReadonlyMap<string, number>
}

type Role = 'none' | 'reader' | 'writer' | 'owner'
const ranks: readonly Role[] = ['none', 'reader', 'writer', 'owner']
const users = ['ana', 'Ana', 'ana ', 'ａｎａ', 'an_', '__proto__', 'own', 'spc_ana']
const unknownSpace = 'spc_01h455vb4pex5vsknk084sn02q'
const letters = 'abcdefghijklmnopqrstuvwxyz'
const canary = /qs([a-z]{2})panda/gi

interface Shared {
  readonly id: string
  readonly word: string
  readonly roles: Map<string, Role>
  readonly memories: string[]
}

interface Try {
  readonly operationId: string
  readonly least: Role
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Each way to reach the memories of a space, with an id of one of them. */
function triesOf(random: Random, space: string, memoryId: string, word: string): readonly Try[] {
  const inQuery = { query: { space } }
  const content = `The ${word} number ${random.below(30)} stands in room ${random.below(9)}.`
  return [
    { operationId: 'recallMemories', least: 'reader', body: { query: `${word} number`, spaces: [space], limit: 50 } },
    { operationId: 'recallMemories', least: 'reader', body: { query: 'number room', spaces: ['own', space] } },
    { operationId: 'listMemories', least: 'reader', query: { space, limit: '100' } },
    { operationId: 'getMemory', least: 'reader', id: memoryId, ...inQuery },
    { operationId: 'getMemoryHistory', least: 'reader', id: memoryId, ...inQuery },
    { operationId: 'getProfile', least: 'reader', id: 'me', ...inQuery },
    { operationId: 'listEntities', least: 'reader', ...inQuery },
    { operationId: 'getGraph', least: 'reader', ...inQuery },
    { operationId: 'listContradictions', least: 'reader', ...inQuery },
    { operationId: 'getDecayReport', least: 'reader', ...inQuery },
    { operationId: 'getSpace', least: 'reader', id: space },
    { operationId: 'listMembers', least: 'reader', id: space },
    { operationId: 'storeMemories', least: 'writer', body: { content, space } },
    { operationId: 'updateMemory', least: 'writer', id: memoryId, body: { metadata: { tag: word }, space } },
    { operationId: 'deleteMemories', least: 'writer', body: { memory_ids: [memoryId], space } },
    { operationId: 'deleteMemory', least: 'writer', id: memoryId, ...inQuery },
    { operationId: 'runCleanup', least: 'writer', body: { dry_run: false, space } },
    { operationId: 'renameSpace', least: 'owner', id: space, body: { name: word } },
  ]
}

export async function attackSpaces({ seed, operations: count, openDoors }: SpaceOptions): Promise<SpaceReport> {
  const random = seededRandom(seed)
  const service = await startService({ auth: true })
  const doors = openDoors(service)
  const keys = new Map<string, string>()
  for (const user of users) keys.set(user, (await quickKey(service, user, 'a key')).key)
  const spaces: Shared[] = []
  for (let index = 0; index < 6; index++) spaces.push(await createShared(service, keys, index))
  const results = new Map<string, number>()
  const said = { random, service, keys, spaces, results }
  for (let done = 0; done < count; done++) {
    const space = random.pick(spaces)
    try {
      if (random.chance(0.3)) await changeMembers(said, doors, space)
      else await tryOne(said, doors, space)
    } catch (error) {
      throw new Error(`seed ${seed}, after ${done} operations: ${String(error)}`, { cause: error })
    }
  }
  for (const space of spaces) await checkTable(service, keys, space)
  await service.close()
  return { operations: count, results }
}

interface Run {
  readonly random: Random
  readonly service: TestService
  readonly keys: ReadonlyMap<string, string>
  readonly spaces: readonly Shared[]
  readonly results: Map<string, number>
}

async function createShared(service: TestService, keys: ReadonlyMap<string, string>, index: number): Promise<Shared> {
  const word = `Qs${letters[index]}${letters[(index * 7) % 26]}panda`
  const owner = users[index % users.length] ?? ''
  const key = keys.get(owner) ?? null
  const made = await service.ok<{ space: { id: string } }>('POST', '/spaces', { key, body: { name: word } })
  const { id } = made.space
  const body = { content: `The ${word} number 1 stands in room 1.`, space: id }
  const { memories } = await service.ok<{ memories: readonly { id: string }[] }>('POST', '/store', { key, body })
  return { id, word, roles: new Map([[owner, 'owner']]), memories: memories.map((memory) => memory.id) }
}

const roleOf = (space: Shared, user: string): Role => space.roles.get(user) ?? 'none'
const includes = (role: Role, least: Role) => ranks.indexOf(role) >= ranks.indexOf(least)

/** By anyone, allowed or not: the table decides. */
async function changeMembers({ random, keys, results }: Run, doors: readonly Door[], space: Shared): Promise<void> {
  const owners = users.filter((user) => roleOf(space, user) === 'owner')
  const user = random.pick(random.chance(0.6) ? owners : users)
  const member = random.pick(users)
  const role = random.pick(['reader', 'writer', 'owner', 'none'] as const)
  const isOwnExit = role === 'none' && user === member
  const wanted: Try =
    role === 'none'
      ? { operationId: 'removeMember', least: isOwnExit ? 'reader' : 'owner', id: space.id, query: { member } }
      : { operationId: 'setMember', least: 'owner', id: space.id, body: { member, role } }
  const door = pickDoor(random, doors, wanted)
  const outcome = await door.perform(attemptOf(wanted, keys.get(user) ?? null))
  const acting = roleOf(space, user)
  if (!checkDenied(space, user, wanted, outcome)) {
    const losesOwner = roleOf(space, member) === 'owner' && role !== 'owner' && owners.length === 1
    const isNobody = role === 'none' && roleOf(space, member) === 'none'
    const expected = isNobody ? 404 : losesOwner ? 400 : 200
    if (outcome.status !== expected) throw new Error(`${explain(wanted, user, outcome)}: expected ${expected}`)
    if (expected === 200) {
      if (role === 'none') space.roles.delete(member)
      else space.roles.set(member, role)
    }
  }
  tally(results, acting, door, outcome)
}

async function tryOne({ random, keys, spaces, results }: Run, doors: readonly Door[], space: Shared): Promise<void> {
  const user = random.pick(random.chance(0.4) ? [...space.roles.keys()] : users)
  const key = keys.get(user) ?? null
  // Often the id of a memory of another space: a membership here must not open it.
  const memoryId = random.pick(random.pick([space, space, random.pick(spaces)]).memories)
  const wanted = random.pick(triesOf(random, space.id, memoryId, space.word))
  const door = pickDoor(random, doors, wanted)
  const outcome = await door.perform(attemptOf(wanted, key))
  const told = `${outcome.answer}\n${outcome.aside}`
  const allowed = new Set(
    spaces.filter((each) => each.id === space.id && includes(roleOf(each, user), 'reader')).map(({ word }) => word),
  )
  const sent = JSON.stringify([wanted.query, wanted.body])
  for (const [word] of told.matchAll(canary)) {
    const isAllowed = [...allowed].some((each) => each.toLowerCase() === word.toLowerCase())
    if (!isAllowed && !sent.includes(word)) throw new Error(`${explain(wanted, user, outcome)}: tells ${word}`)
  }
  if (checkDenied(space, user, wanted, outcome)) {
    const same = { ...wanted, ...renamed(wanted, space.id) }
    const unknown = await door.perform(attemptOf(same, key))
    const of = ({ status, answer }: Outcome) => `${status} ${withoutRequest(answer)}`
    if (!includes(roleOf(space, user), 'reader') && of(unknown) !== of(outcome)) {
      throw new Error(`${explain(wanted, user, outcome)}: an unknown space gives ${of(unknown)}`)
    }
  } else {
    if (![200, 404].includes(outcome.status)) throw new Error(explain(wanted, user, outcome))
    remember(space, wanted, outcome)
  }
  tally(results, roleOf(space, user), door, outcome)
}

/** Whether the table forbids it. Then the answer must say so, and nothing else. */
function checkDenied(space: Shared, user: string, wanted: Try, outcome: Outcome): boolean {
  const role = roleOf(space, user)
  if (includes(role, wanted.least)) {
    if (/Space not found|needs the role/.test(outcome.answer)) throw new Error(explain(wanted, user, outcome))
    return false
  }
  const expected = role === 'none' ? /Space not found/ : new RegExp(`needs the role ${wanted.least}`)
  if (outcome.status < 400 || !expected.test(outcome.answer)) {
    throw new Error(`${explain(wanted, user, outcome)}: the role is ${role}`)
  }
  return true
}

function remember(space: Shared, { operationId, body }: Try, { status, body: answered }: Outcome): void {
  if (status !== 200) return
  const ids = JSON.stringify(answered).match(/\bmem_[0-9a-z]{26}\b/g) ?? []
  if (operationId === 'storeMemories') for (const id of ids) if (!space.memories.includes(id)) space.memories.push(id)
  if (operationId !== 'deleteMemories') return
  const named = body?.memory_ids
  if (Array.isArray(named) && ids.some((id) => !named.includes(id) && !space.memories.includes(id))) {
    throw new Error('a memory of another space was deleted')
  }
}

function pickDoor(random: Random, doors: readonly Door[], { operationId }: Try): Door {
  return random.pick(doors.filter((door) => door.offers(operationOf(operationId))))
}

function operationOf(operationId: string) {
  const found = operations.find(({ description }) => description.operationId === operationId)
  if (!found) throw new Error(`unknown operation ${operationId}`)
  return found
}

function attemptOf({ operationId, id, query = {}, body }: Try, key: string | null): Attempt {
  const operation = operationOf(operationId)
  return { operation, key, query, from: '10.0.0.1', ...(id === undefined ? {} : { id }), ...(body ? { body } : {}) }
}

/** The same request for a space that does not exist. */
function renamed({ id, query, body }: Try, spaceId: string): Partial<Try> {
  const text = JSON.stringify({ id, query, body }).replaceAll(spaceId, unknownSpace)
  return JSON.parse(text) as Partial<Try>
}

const withoutRequest = (text: string) => text.replace(/"request_id":"[^"]*"/g, '')

function explain({ operationId, id, query, body }: Try, user: string, { status, answer }: Outcome): string {
  return `${operationId} ${JSON.stringify({ id, query, body })} by ${user} gave ${status} ${answer.slice(0, 400)}`
}

function tally(results: Map<string, number>, role: Role, door: Door, { status }: Outcome): void {
  const kind = status < 400 ? 'accepted' : 'refused'
  const name = `${role} ${door.name} ${kind}`
  results.set(name, (results.get(name) ?? 0) + 1)
}

/** In the end the service has the memberships of the table. */
async function checkTable(service: TestService, keys: ReadonlyMap<string, string>, space: Shared): Promise<void> {
  const [member] = [...space.roles.keys()]
  const { members } = await service.ok<{ members: readonly { member: string; role: Role }[] }>(
    'GET',
    `/spaces/${space.id}/members`,
    { key: keys.get(member ?? '') ?? masterKey },
  )
  const found = members.map(({ member: user, role }) => `${user}: ${role}`).sort()
  const expected = [...space.roles].map(([user, role]) => `${user}: ${role}`).sort()
  if (found.join() !== expected.join()) throw new Error(`members are ${found.join()}, not ${expected.join()}`)
}
