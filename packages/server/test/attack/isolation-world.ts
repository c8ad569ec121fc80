/** One service with some of the users, everything that each of them has seen, and the interfaces to it. */
import { manualClock, masterKey, startService, type TestService } from '../support/harness.js'
import { issuer } from '../support/oauth-flow.js'
import type { Member } from './crowd.js'
import type { Attempt, Door, Outcome } from './door.js'
import { leakCheck, type Told } from './leaks.js'
import { isApplication, type LimitedKind, limitedKinds, limitsOf } from './limited-keys.js'
import type { OwnThing } from './plan.js'
import { quickKey } from './quick-key.js'

const environment = {
  // Suspicious text is flagged instead of refused, so that flagged memories exist.
  SERVICE_TRUST_POLICY: 'flag',
  SERVICE_OAUTH_URL: issuer,
  // All different, so that a response shows which limit it counted; too high to be reached.
  SERVICE_RATE_LIMIT_ENABLED: 'true',
  SERVICE_RATE_LIMIT_STORE: '900001/minute',
  SERVICE_RATE_LIMIT_RECALL: '900002/minute',
  SERVICE_RATE_LIMIT_FORGET: '900003/minute',
  SERVICE_RATE_LIMIT_DEFAULT: '900004/minute',
}

export type OpenDoors = (service: TestService) => readonly Door[]

export interface World {
  readonly service: TestService
  readonly doors: readonly Door[]
  seen(member: Member, kind: string): readonly string[]
  own(member: Member, thing: OwnThing): string
  keysOf(member: Member): readonly string[]
  addKey(member: Member): Promise<void>
  addLimitedKeys(member: Member): Promise<void>
  limitedKeyOf(member: Member, kind: LimitedKind): string
  /** Revokes the oldest key of the user. */
  revokeKey(member: Member): Promise<string>
  perform(member: Member, door: Door, attempt: Attempt): Promise<Outcome>
  /** The response with ids replaced by the order in which the user saw them, so that two worlds can be compared. */
  comparable(member: Member, outcome: Outcome): string
}

interface State {
  readonly keys: { readonly id: string; readonly key: string }[]
  readonly limited: Map<string, string>
  readonly things: Map<string, string[]>
  readonly labels: Map<string, string>
}

export async function openWorld(members: readonly Member[], openDoors: OpenDoors): Promise<World> {
  const clock = manualClock()
  // By the clock of the world, so that a replay, which takes less time, meets the same limits. A thousand times as fast: the clock
  // advances by milliseconds per operation, and a window must not gather enough refused requests to lock an address out.
  const limitsNow = () => clock.now() * 1000
  const service = await startService({ auth: true, clock, limitsNow, env: environment })
  const leaks = leakCheck()
  const states = new Map<Member, State>(
    members.map((member) => [member, { keys: [], limited: new Map(), things: new Map(), labels: new Map() }]),
  )
  const stateOf = (member: Member) => {
    const state = states.get(member)
    if (!state) throw new Error(`${member.userId} is not in this world`)
    return state
  }
  function remember(member: Member, { ids, cursor }: Told): void {
    const { things, labels } = stateOf(member)
    const add = (kind: string, thing: string) => {
      if (labels.has(thing)) return
      const list = things.get(kind) ?? []
      labels.set(thing, `${kind}-${list.length}`)
      list.push(thing)
      things.set(kind, list)
    }
    for (const id of ids) add(id.slice(0, 3), id)
    if (cursor !== undefined) add('cursor', cursor)
  }
  for (const { canary } of members) service.forbidInLogs(canary)
  return {
    service,
    doors: openDoors(service),
    seen: (member, kind) => stateOf(member).things.get(kind) ?? [],
    own: (member, { own, index }) => stateOf(member).things.get(own)?.[index] ?? 'none',
    keysOf: (member) => stateOf(member).keys.map(({ key }) => key),
    async addKey(member) {
      stateOf(member).keys.push(await quickKey(service, member.userId, member.canary))
    },
    async addLimitedKeys(member) {
      // The keys of an object literal.
      for (const kind of Object.keys(limitedKinds) as LimitedKind[]) {
        const userId = isApplication(kind) ? null : member.userId
        const { key } = await quickKey(service, userId, member.canary, limitsOf(kind, member.userId))
        stateOf(member).limited.set(kind, key)
      }
    },
    limitedKeyOf: (member, kind) => stateOf(member).limited.get(kind) ?? '',
    async revokeKey(member) {
      const revoked = stateOf(member).keys.shift()
      if (!revoked) throw new Error('no key to revoke')
      await service.ok('DELETE', `/keys/${revoked.id}`, { key: masterKey })
      return revoked.key
    },
    async perform(member, door, attempt) {
      const outcome = await door.perform(attempt)
      remember(member, leaks.check(member, attempt, outcome))
      return outcome
    },
    comparable(member, { status, answer }) {
      const { labels } = stateOf(member)
      const named = answer
        .replace(/\b[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, (id) => labels.get(id) ?? id)
        .replace(/"request_id":"[^"]*"/g, '"request_id":""')
        .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"there"')
      return `${status} ${named}`
    },
  }
}
