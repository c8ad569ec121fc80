/**
 * Users share spaces, and owners grant, change and end memberships and delete spaces all the time. A table of memberships says what each
 * request may do: every answer through every door, with every kind of key, is checked against it, and against the answer for a space that
 * does not exist. Each space has a word that all of its memories contain and no other memory does.
 */
import { masterKey, startService, type TestService } from '../support/harness.js'
import { issuer } from '../support/oauth-flow.js'
import { operations } from '../support/openapi-check.js'
import { withUser } from './application-callers.js'
import type { Attempt, Door, Outcome } from './door.js'
import type { OpenDoors } from './isolation-world.js'
import { checkLimits, isAllowed, isApplication, type LimitedKind, limitedKinds, limitsOf } from './limited-keys.js'
import { mem0DoorName } from './mem0-door.js'
import { fillIn, type Plan } from './plan.js'
import { quickKey } from './quick-key.js'
import { type Random, seededRandom } from './random.js'
import { includes, type Role, requireAllTried, type Shared, type Try, triesAsUser, triesOf } from './space-tries.js'

export interface SpaceOptions {
  readonly seed: number
  readonly operations: number
  readonly openDoors: OpenDoors
}

export interface SpaceReport {
  readonly operations: number
  /** By role, door and kind of result. With a limited key: by kind of key. */
  readonly results: ReadonlyMap<string, number>
}

const users = ['ana', 'Ana', 'ana ', 'ａｎａ', 'an_', '__proto__', 'own', 'spc_ana']
const unknownSpace = 'spc_01h455vb4pex5vsknk084sn02q'
const letters = 'abcdefghijklmnopqrstuvwxyz'
const canary = /qs([a-z]{2})panda/gi
const limitedShare = 0.3

type Kind = 'full' | LimitedKind
// The keys of an object literal.
const kinds = Object.keys(limitedKinds) as LimitedKind[]

interface Run {
  readonly random: Random
  readonly service: TestService
  readonly doors: readonly Door[]
  /** By user and kind. */
  readonly keys: ReadonlyMap<string, string>
  /** A deleted space is replaced by a new one. */
  readonly spaces: Shared[]
  readonly deleted: Shared[]
  readonly results: Map<string, number>
}

/** Who asks, with which key and through which door. */
interface Asker {
  readonly user: string
  readonly kind: Kind
  readonly door: Door
}

export async function attackSpaces({ seed, operations: count, openDoors }: SpaceOptions): Promise<SpaceReport> {
  const random = seededRandom(seed)
  const service = await startService({ auth: true, env: { SERVICE_OAUTH_URL: issuer } })
  const keys = new Map<string, string>()
  for (const user of users) {
    keys.set(`${user} full`, (await quickKey(service, user, 'a key')).key)
    for (const kind of kinds) {
      const { key } = await quickKey(service, isApplication(kind) ? null : user, 'a key', limitsOf(kind, user))
      keys.set(`${user} ${kind}`, key)
    }
  }
  const results = new Map<string, number>()
  const run: Run = { random, service, doors: openDoors(service), keys, spaces: [], deleted: [], results }
  while (run.spaces.length < 6) run.spaces.push(await createShared(run))
  const [first, second] = run.spaces
  if (first && second) requireAllTried(triesOf(random, { space: first, second, memoryId: '' }))
  for (let done = 0; done < count; done++) {
    try {
      if (random.chance(0.3)) await changeMembers(run)
      else if (random.chance(0.15)) await tryAsUser(run)
      else await tryOne(run)
    } catch (error) {
      throw new Error(`seed ${seed}, after ${done} operations: ${String(error)}`, { cause: error })
    }
  }
  for (const space of run.spaces) await checkTable(run, space)
  await service.close()
  return { operations: count, results }
}

async function createShared({ service, keys, spaces, deleted }: Run): Promise<Shared> {
  const index = spaces.length + deleted.length
  const word = `Qs${letters[index % 26]}${letters[Math.floor(index / 26) % 26]}panda`
  const owner = users[index % users.length] ?? ''
  const key = keys.get(`${owner} full`) ?? null
  const made = await service.ok<{ space: { id: string } }>('POST', '/spaces', { key, body: { name: word } })
  const { id } = made.space
  const body = { content: `The ${word} number 1 stands in room 1.`, space: id }
  const { memories } = await service.ok<{ memories: readonly { id: string }[] }>('POST', '/store', { key, body })
  return { id, word, roles: new Map([[owner, 'owner']]), memories: memories.map((memory) => memory.id) }
}

const roleOf = (space: Shared, user: string): Role => space.roles.get(user) ?? 'none'

/** By anyone, allowed or not: the table decides. */
async function changeMembers(run: Run): Promise<void> {
  const { random } = run
  const space = random.pick(run.spaces)
  const owners = users.filter((user) => roleOf(space, user) === 'owner')
  const user = random.pick(random.chance(0.6) ? owners : users)
  const member = random.pick(users)
  const role = random.pick(['reader', 'writer', 'owner', 'none'] as const)
  const isOwnExit = role === 'none' && user === member
  const wanted: Try =
    role === 'none'
      ? { operationId: 'removeMember', least: isOwnExit ? 'reader' : 'owner', id: space.id, query: { member } }
      : { operationId: 'setMember', least: 'owner', id: space.id, body: { member, role } }
  const { asker } = choose(run, user, [wanted])
  const outcome = await asker.door.perform(attemptOf(run, wanted, asker))
  tally(run.results, roleOf(space, user), asker, outcome)
  if (!isServed(space, asker, wanted, outcome)) return
  const losesOwner = roleOf(space, member) === 'owner' && role !== 'owner' && owners.length === 1
  const isNobody = role === 'none' && roleOf(space, member) === 'none'
  const expected = isNobody ? 404 : losesOwner ? 400 : 200
  if (outcome.status !== expected) throw new Error(`${explain(wanted, asker, outcome)}: expected ${expected}`)
  if (expected !== 200) return
  if (role === 'none') space.roles.delete(member)
  else space.roles.set(member, role)
}

async function tryOne(run: Run): Promise<void> {
  const { random, spaces, deleted } = run
  const space = random.pick(deleted.length > 0 && random.chance(0.05) ? deleted : spaces)
  const user = random.pick(space.roles.size > 0 && random.chance(0.4) ? [...space.roles.keys()] : users)
  // Often the id of a memory of another space: a membership here must not open it.
  const memoryId = random.pick(random.pick([space, space, random.pick(spaces)]).memories)
  if (random.chance(0.05)) return listSpaces(run, user)
  const { asker, wanted } = choose(run, user, triesOf(random, { space, second: random.pick(spaces), memoryId }))
  const outcome = await asker.door.perform(attemptOf(run, wanted, asker))
  checkWords(wanted, asker, outcome, [space, ...(wanted.also ? [wanted.also] : [])])
  tally(run.results, roleOf(space, user), asker, outcome)
  if (!isServed(space, asker, wanted, outcome)) return checkTrace(run, space, asker, wanted, outcome)
  if (![200, 404].includes(outcome.status)) throw new Error(explain(wanted, asker, outcome))
  remember(space, wanted, outcome)
  if (wanted.operationId === 'deleteSpace' && outcome.status === 200) {
    space.roles.clear()
    deleted.push(space)
    spaces.splice(spaces.indexOf(space), 1)
    spaces.push(await createShared(run))
  }
}

/** Exactly the spaces of the table, whichever key may list them. */
async function listSpaces(run: Run, user: string): Promise<void> {
  const wanted: Try = { operationId: 'listSpaces', least: 'none' }
  const { asker } = choose(run, user, [wanted])
  const outcome = await asker.door.perform(attemptOf(run, wanted, asker))
  const own = run.spaces.filter((space) => roleOf(space, user) !== 'none')
  checkWords(wanted, asker, outcome, own)
  if (refusalOf(asker, wanted) !== undefined) return checkRefusal(asker, wanted, outcome)
  const shown = [...new Set(outcome.answer.match(/\bspc_[0-9a-z]{26}\b/g) ?? [])].sort().join()
  const expected = own
    .map(({ id }) => id)
    .sort()
    .join()
  if (outcome.status !== 200 || shown !== expected)
    throw new Error(`${explain(wanted, asker, outcome)}: not ${expected}`)
}

async function tryAsUser(run: Run): Promise<void> {
  const { random, spaces } = run
  const space = random.pick(spaces)
  const user = random.pick([...users, ...space.roles.keys()])
  // Mostly limited keys: those of applications act for the user that they name.
  const { asker, wanted } = choose(run, user, triesAsUser(space), 0.8)
  const outcome = await asker.door.perform(attemptOf(run, wanted, asker))
  checkWords(wanted, asker, outcome, [])
  const isEmpty = !/\b(?:mem|ent)_[0-9a-z]{26}\b/.test(outcome.answer)
  const isStored = wanted.operationId === 'storeMemories' && outcome.status < 400
  if (!isEmpty || isStored || outcome.status >= 500) throw new Error(explain(wanted, asker, outcome))
}

/** Nobody learns a word of a space that is closed to them. */
function checkWords(wanted: Try, asker: Asker, outcome: Outcome, named: readonly Shared[]): void {
  const told = `${outcome.answer}\n${outcome.aside}`
  const open = named.filter((space) => includes(roleFor(space, asker), 'reader'))
  const allowed = new Set(open.map(({ word }) => word.toLowerCase()))
  const sent = JSON.stringify([wanted.query, wanted.body])
  for (const [word] of told.matchAll(canary)) {
    if (!allowed.has(word.toLowerCase()) && !sent.includes(word)) {
      throw new Error(`${explain(wanted, asker, outcome)}: tells ${word}`)
    }
  }
}

/** Somebody who is no member gets the response of a space that does not exist. */
async function checkTrace(run: Run, space: Shared, asker: Asker, wanted: Try, outcome: Outcome): Promise<void> {
  const isMember = refusalOf(asker, wanted) === undefined && includes(roleFor(space, asker), 'reader')
  if (isMember || outcome.status === 401 || outcome.status === 429) return
  const unknown = await asker.door.perform(attemptOf(run, { ...wanted, ...renamed(wanted, space.id) }, asker))
  const of = ({ status, answer }: Outcome) => `${status} ${answer.replace(/"request_id":"[^"]*"/g, '')}`
  if (of(unknown) !== of(outcome)) {
    throw new Error(`${explain(wanted, asker, outcome)}: an unknown space gives ${of(unknown)}`)
  }
}

/** The role that counts for the key: none if it reaches no space. */
function roleFor(space: Shared, { user, kind }: Asker): Role {
  return ['project', 'project, read', 'application, prefix'].includes(kind) ? 'none' : roleOf(space, user)
}

/** How the key is refused, whatever the space is. */
function refusalOf({ kind, door }: Asker, { operationId }: Try): 401 | 403 | undefined {
  if (kind === 'full') return undefined
  // A limited key cannot approve an OAuth client.
  if (kind === 'expired' || door.name === 'OAuth') return 401
  return isAllowed(limitedKinds[kind], operationOf(operationId)) ? undefined : 403
}

function checkRefusal(asker: Asker, wanted: Try, outcome: Outcome): void {
  const refusal = refusalOf(asker, wanted)
  const isRight = outcome.status === refusal || (refusal === 401 && outcome.status === 429)
  if (!isRight || /Space not found|needs the role/.test(outcome.answer)) {
    throw new Error(`${explain(wanted, asker, outcome)}: expected ${refusal}`)
  }
}

/** Whether key and table allow it. If not, the answer must say so, and nothing else. */
function isServed(space: Shared, asker: Asker, wanted: Try, outcome: Outcome): boolean {
  if (refusalOf(asker, wanted) !== undefined) {
    checkRefusal(asker, wanted, outcome)
    return false
  }
  const { kind } = asker
  const roles = [space, ...(wanted.also ? [wanted.also] : [])].map((each) => roleFor(each, asker))
  const role = roles.find((each) => !includes(each, wanted.least))
  if (role === undefined) {
    if (/Space not found|needs the role/.test(outcome.answer)) throw new Error(explain(wanted, asker, outcome))
    if (kind !== 'full') checkLimits(kind, operationOf(wanted.operationId), outcome)
    return true
  }
  const expected = role === 'none' ? /Space not found/ : new RegExp(`needs the role ${wanted.least}`)
  if (outcome.status < 400 || !expected.test(outcome.answer)) {
    throw new Error(`${explain(wanted, asker, outcome)}: the role is ${role}`)
  }
  return false
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

/** mem0's interface has no spaces, so there a space can only be named as a user. */
function fits({ name, offers }: Door, { operationId, notBy = [], isAsUser = false }: Try): boolean {
  return offers(operationOf(operationId)) && !notBy.includes(name) && (isAsUser || name !== mem0DoorName)
}

/** Chooses the door first: most requests fit HTTP only. */
function choose({ random, doors }: Run, user: string, tries: readonly Try[], limited = limitedShare) {
  const door = random.pick(doors.filter((each) => tries.some((wanted) => fits(each, wanted))))
  const kind: Kind = random.chance(limited) ? random.pick(kinds) : 'full'
  const asker: Asker = { user, kind, door }
  return { asker, wanted: random.pick(tries.filter((each) => fits(door, each))) }
}

function operationOf(operationId: string) {
  const found = operations.find(({ description }) => description.operationId === operationId)
  if (!found) throw new Error(`unknown operation ${operationId}`)
  return found
}

function attemptOf({ keys }: Run, wanted: Try, { user, kind }: Asker): Attempt {
  const { operationId, id, query = {}, body, isAsUser } = wanted
  const operation = operationOf(operationId)
  const plan: Plan = { operation, query, comparable: false, ...(id ? { id } : {}), ...(body ? { body } : {}) }
  const isOfApplication = kind !== 'full' && isApplication(kind)
  const key = keys.get(`${user} ${kind}`) ?? null
  const from = `10.0.1.${users.indexOf(user) + 1}`
  return { ...fillIn(isOfApplication && !isAsUser ? withUser(plan, user) : plan, () => ''), key, from }
}

/** The same request for a space that does not exist. */
function renamed({ id, query, body }: Try, spaceId: string): Partial<Try> {
  const text = JSON.stringify({ id, query, body }).replaceAll(spaceId, unknownSpace)
  return JSON.parse(text) as Partial<Try>
}

function explain(
  { operationId, id, query, body }: Try,
  { user, kind, door }: Asker,
  { status, answer }: Outcome,
): string {
  const request = JSON.stringify({ id, query, body })
  return `${operationId} ${request} by ${user} (${kind}, ${door.name}) gave ${status} ${answer.slice(0, 400)}`
}

function tally(results: Map<string, number>, role: Role, { kind, door }: Asker, { status }: Outcome): void {
  const result = status < 400 ? 'accepted' : 'refused'
  const name = `${kind === 'full' ? role : kind} ${door.name} ${result}`
  results.set(name, (results.get(name) ?? 0) + 1)
}

/** In the end the service has the memberships of the table. */
async function checkTable({ service, keys }: Run, space: Shared): Promise<void> {
  const [member] = [...space.roles.keys()]
  const { members } = await service.ok<{ members: readonly { member: string; role: Role }[] }>(
    'GET',
    `/spaces/${space.id}/members`,
    { key: keys.get(`${member} full`) ?? masterKey },
  )
  const found = members.map(({ member: user, role }) => `${user}: ${role}`).sort()
  const expected = [...space.roles].map(([user, role]) => `${user}: ${role}`).sort()
  if (found.join() !== expected.join()) throw new Error(`members are ${found.join()}, not ${expected.join()}`)
}
