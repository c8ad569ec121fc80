/**
 * Many users call every operation through every door, several at the same time. Each response is checked for leaks. Then some
 * users repeat all their calls in a service without other users: every response must be identical to the first one, including
 * counts, scores and order.
 */
import { hourMs, masterKey, startTime } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'
import { accessOf, guarded, nameOf } from '../support/samples.js'
import { actingFor, namesUser } from './application-callers.js'
import { coverage, type Step } from './coverage.js'
import { crowd, type Member } from './crowd.js'
import type { Attempt, Door } from './door.js'
import { type OpenDoors, openWorld, type World } from './isolation-world.js'
import { checkLimits, isApplication, type LimitedKind, limitedKinds } from './limited-keys.js'
import { mem0DoorName } from './mem0-door.js'
import { fillIn, type Plan, planFor } from './plan.js'
import { type Random, seededRandom } from './random.js'

export interface IsolationOptions {
  readonly seed: number
  readonly operations: number
  readonly users: number
  /** The number of users with an operation in flight at the same time. */
  readonly together: number
  /** The number of users who repeat their calls, each in a separate service. */
  readonly alone: number
  /** Fails unless each operation that an API key permits succeeded at least once. */
  readonly requireAll: boolean
  readonly openDoors: OpenDoors
  /** Called now and then with the progress. */
  readonly progress: (text: string) => void
}

export interface IsolationReport {
  readonly operations: number
  /** Those with a key that has no limits, and how many of them succeeded. */
  readonly unlimited: number
  readonly accepted: number
  readonly compared: number
  /** By operation, door and status. */
  readonly statuses: ReadonlyMap<string, number>
}

/** The events of one user in order, for replay. */
type Event =
  | {
      readonly kind: 'operation'
      readonly at: number
      readonly plan: Plan
      readonly door: string
      readonly answer: string
      /** Absent: with a key without limits. */
      readonly limited?: LimitedKind | undefined
    }
  | { readonly kind: 'cleanup'; readonly at: number; readonly everyone: boolean }

const masterEvery = 200
const limitedShare = 0.2
const errandShare = 0.3
// The keys of an object literal. A key for some users has the most to attack.
const kinds = [...(Object.keys(limitedKinds) as LimitedKind[]), 'application, prefix', 'application, prefix'] as const
/** Includes operations that need more than an API key and must be refused, and probes, which show more with a key. */
const tried = [...guarded, ...operations.filter(({ path }) => /\/(?:health|livez|readyz)$/.test(path))]
/** Operations that create data are chosen more often. */
const weights: Readonly<Record<string, number>> = {
  storeMemories: 12,
  storeBatch: 4,
  recallMemories: 7,
  updateMemory: 3,
  listMemories: 3,
  listContradictions: 4,
  listEntities: 3,
  listEntityMerges: 3,
  mergeEntity: 3,
  // Most attempts to name a space fail for a user who has none.
  createSpace: 5,
}
const weighted = tried.flatMap((operation) =>
  Array.from({ length: weights[String(operation.description.operationId)] ?? 1 }, () => operation),
)

export async function attackIsolation(options: IsolationOptions): Promise<IsolationReport> {
  const random = seededRandom(options.seed)
  const members = crowd(options.users)
  const world = await openWorld(members, options.openDoors)
  await Promise.all(members.flatMap((member) => [world.addKey(member), world.addKey(member)]))
  await Promise.all(members.map((member) => world.addLimitedKeys(member)))
  const run = crowdRun(options, world, members, random)
  await run.all()
  const survivors = members.filter((member) => member.index < options.alone)
  for (const member of members) {
    if (survivors.includes(member)) continue
    const body = { user_id: member.userId, all: true }
    await world.service.ok('DELETE', '/memories', { key: world.keysOf(member)[0] ?? null, body })
  }
  let compared = 0
  for (const member of survivors) {
    compared += await liveAgain(options, world, member, run.eventsOf(member))
    options.progress(`${compared} compared`)
  }
  await world.service.close()
  return { ...run.report(), compared }
}

function crowdRun(options: IsolationOptions, world: World, members: readonly Member[], random: Random) {
  const { service } = world
  const events = new Map<Member, Event[]>(members.map((member) => [member, []]))
  const statuses = new Map<string, number>()
  const revoked: string[] = []
  const covered = coverage(tried, world.doors)
  /** What a user does next, instead of something random. */
  const errands = new Map<Member, Step[]>()
  let done = 0
  let unlimited = 0
  let accepted = 0

  const eventsOf = (member: Member) => events.get(member) ?? []

  async function operation(member: Member, plan: Plan, door: Door, key: string, limited?: LimitedKind): Promise<void> {
    const attempt = attemptOf(world, member, plan, key, limited)
    // A limited key cannot approve an OAuth client.
    const isLimitedClient = limited !== undefined && door.name === 'OAuth'
    const isGood =
      limited === undefined ? world.keysOf(member).includes(key) : limited !== 'expired' && !isLimitedClient
    const outcome = await explained(options, done, member, attempt, async () => {
      const came = await world.perform(member, door, attempt)
      const refused = came.status === 401 || came.status === 429
      if (!isGood && !refused && accessOf(plan.operation) !== 'open')
        throw new Error(`an invalid key got ${came.status}`)
      if (limited !== undefined && !isLimitedClient)
        checkLimits(limited, plan.operation, came, namesUser(plan, door.name))
      return came
    })
    covered.saw({ operation: plan.operation, door }, outcome.status)
    const name = `${nameOf(plan.operation)} ${door.name} ${outcome.status}`
    statuses.set(name, (statuses.get(name) ?? 0) + 1)
    // Most requests of limited keys are refused by design.
    if (limited === undefined) unlimited += 1
    if (limited === undefined && outcome.status < 400) accepted += 1
    // A refused request changes nothing and is not replayed.
    if (!isGood) return
    const at = service.clock.now()
    const answer = plan.comparable ? world.comparable(member, outcome) : ''
    eventsOf(member).push({ kind: 'operation', at, plan, door: door.name, answer, limited })
  }

  /** In the second half, users go on errands to operations that have not succeeded yet. */
  function nextStep(member: Member): Step | undefined {
    const steps = errands.get(member) ?? []
    if (steps.length === 0 && done > options.operations / 2 && random.chance(errandShare)) {
      steps.push(...covered.errand(random))
      errands.set(member, steps)
    }
    return steps.shift()
  }

  function choose(member: Member): Promise<void> {
    const other = random.pick(members.filter((candidate) => candidate !== member))
    const step = nextStep(member)
    const planner = {
      random,
      member,
      other,
      isHarmless: step !== undefined,
      startMs: startTime,
      nowMs: service.clock.now(),
      seen: (whose: Member, kind: string) => world.seen(whose, kind).length,
      foreign: (whose: Member, kind: string) => {
        const things = world.seen(whose, kind)
        return things.length === 0 ? undefined : random.pick(things)
      },
    }
    const good = random.pick(world.keysOf(member))
    if (step) return operation(member, planFor(planner, step.operation), step.door, good)
    const plan = planFor(planner, random.pick(weighted))
    const door = random.pick(world.doors.filter((candidate) => candidate.offers(plan.operation)))
    if (random.chance(limitedShare)) {
      const kind = random.pick(kinds)
      const acting = isApplication(kind) ? actingFor(plan, member.userId, other.userId, kind, random) : plan
      // There an application key reaches by id alone whom it may act for; `test/mem0` covers it.
      const isByIdAlone = isApplication(kind) && door.name === mem0DoorName
      const [first = door] = world.doors
      return operation(member, acting, isByIdAlone ? first : door, world.limitedKeyOf(member, kind), kind)
    }
    const wrong = () => random.pick([`${good.slice(0, -3)}AAA`, ...revoked])
    return operation(member, plan, door, random.chance(0.005) ? wrong() : good)
  }

  /** Runs one operation each of several users at once. All are planned before the first starts. */
  async function wave(): Promise<void> {
    const waiting = [...members]
    const chosen = Array.from({ length: Math.min(options.together, members.length) }, () => {
      const [member] = waiting.splice(random.below(waiting.length), 1)
      if (!member) throw new Error('no user is left')
      return member
    })
    // When access counts reach the disk is a matter of milliseconds, which differ between two services.
    await service.deps.accesses.settle()
    await Promise.all(chosen.map(choose))
    done += chosen.length
    service.clock.advance(random.chance(0.02) ? random.below(2 * hourMs) : 1 + random.below(3))
  }

  /** The operator cleans up for one user and for all, and replaces the keys of one. */
  async function masterRound(): Promise<void> {
    const one = random.pick(members)
    const at = service.clock.now()
    await service.ok('POST', '/cleanup-expired', { key: masterKey, body: { user_id: one.userId } })
    eventsOf(one).push({ kind: 'cleanup', at, everyone: false })
    if (random.chance(0.3)) {
      await service.ok('POST', '/cleanup-expired', { key: masterKey, body: {} })
      for (const member of members) eventsOf(member).push({ kind: 'cleanup', at, everyone: true })
    }
    const another = random.pick(members)
    await world.addKey(another)
    revoked.push(await world.revokeKey(another))
    const { keys } = await service.ok<{ keys: readonly { user_id: string }[] }>('GET', '/keys', {
      key: masterKey,
      query: { user_id: another.userId },
    })
    if (keys.some((key) => key.user_id !== another.userId)) throw new Error('keys of another user are listed')
  }

  return {
    eventsOf,
    async all() {
      for (let rounds = 0; done < options.operations; ) {
        await wave()
        if (done / masterEvery > rounds + 1) {
          rounds += 1
          await masterRound()
          if (rounds % 50 === 0) options.progress(`${done} operations`)
        }
      }
      if (options.requireAll) covered.requireAll()
    },
    report: () => ({ operations: done, unlimited, accepted, statuses }),
  }
}

function attemptOf(world: World, member: Member, plan: Plan, key: string, limited: LimitedKind | undefined): Attempt {
  const isOfApplication = limited !== undefined && isApplication(limited)
  const filled = fillIn(plan, (thing) => world.own(member, thing))
  return { ...filled, key, from: member.address, isApplication: isOfApplication }
}

async function liveAgain(
  options: IsolationOptions,
  crowded: World,
  member: Member,
  events: readonly Event[],
): Promise<number> {
  const alone = await openWorld([member], options.openDoors)
  await alone.addKey(member)
  await alone.addLimitedKeys(member)
  const [full = ''] = alone.keysOf(member)
  let compared = 0
  for (const event of events) {
    alone.service.clock.set(event.at)
    await alone.service.deps.accesses.settle()
    if (event.kind === 'cleanup') {
      const body = event.everyone ? {} : { user_id: member.userId }
      await alone.service.ok('POST', '/cleanup-expired', { key: masterKey, body })
      continue
    }
    const door = alone.doors.find(({ name }) => name === event.door)
    if (!door) throw new Error(`unknown door ${event.door}`)
    const key = event.limited === undefined ? full : alone.limitedKeyOf(member, event.limited)
    const attempt = attemptOf(alone, member, event.plan, key, event.limited)
    await explained(options, compared, member, attempt, async () => {
      const outcome = await alone.perform(member, door, attempt)
      const answer = alone.comparable(member, outcome)
      if (event.plan.comparable && answer !== event.answer) {
        throw new Error(`alone the answer is\n${answer}\nand among others it was\n${event.answer}`)
      }
    })
    compared += 1
  }
  alone.service.clock.set(crowded.service.clock.now())
  await sameInTheEnd(crowded, alone, member)
  await alone.service.close()
  return compared
}

/** After all others have deleted everything, this user's data is still the same. */
async function sameInTheEnd(crowded: World, alone: World, member: Member): Promise<void> {
  const listOf = async (world: World) => {
    const [key = ''] = world.keysOf(member)
    const { status, text } = await world.service.call('GET', '/memories?limit=500&include_expired=true', { key })
    const shown = world.comparable(member, { status, answer: text, body: undefined, aside: '' })
    // A key that only stores gets no memories back, so nobody has seen their ids.
    return shown.replace(/\bmem_[0-9a-z]{26}\b/g, 'mem-unseen')
  }
  const [among, own] = [await listOf(crowded), await listOf(alone)]
  if (among !== own) throw new Error(`in the end ${member.userId} has\n${own}\nalone, and among others\n${among}`)
}

async function explained<T>(
  { seed }: IsolationOptions,
  step: number,
  member: Member,
  attempt: Attempt,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const { operation, id, query, body } = attempt
    const request = `${nameOf(operation)} ${JSON.stringify({ id, query, body })}`
    throw new Error(`seed ${seed}, after ${step} operations, as ${member.userId}: ${request}\n${String(error)}`, {
      cause: error,
    })
  }
}
