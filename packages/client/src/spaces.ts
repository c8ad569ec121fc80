import type {
  CreateSpaceAnswer,
  DeleteSpaceAnswer,
  GetSpaceAnswer,
  LeaveSpacesAnswer,
  ListMembersAnswer,
  ListSpacesAnswer,
  Member,
  SetMemberAnswer,
  SetMemberRequest,
  Space,
} from './api-types.generated.js'
import type { Caller } from './caller.js'
import { byNumber, type Listing } from './listing.js'
import type { UserOptions } from './options.js'
import { pathPart } from './wire.js'

/** Memories of a group, and its members. `client.inSpace(id)` works with the memories of a space. */
export class Spaces {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The user becomes its owner. Retried only after a rate limit: otherwise a retry could create a second space. */
  async create(name: string, options: UserOptions = {}): Promise<Space> {
    const body = { name, ...this.#caller.user(options) }
    const request = { method: 'POST', path: '/spaces', body, repeat: 'if-refused' } as const
    return (await this.#caller.send<CreateSpaceAnswer>(request, options)).space
  }

  /** The spaces of the user, with the user's role in each. */
  list(options: UserOptions = {}): Listing<Space, ListSpacesAnswer> {
    return byNumber(
      (page) => this.#read('/spaces', { page }, options),
      ({ spaces }) => spaces,
    )
  }

  async get(id: string, options: UserOptions = {}): Promise<Space> {
    return (await this.#read<GetSpaceAnswer>(spacePath(id), {}, options)).space
  }

  async rename(id: string, name: string, options: UserOptions = {}): Promise<Space> {
    const body = { name, ...this.#caller.user(options) }
    const request = { method: 'PUT', path: spacePath(id), body, repeat: 'if-refused' } as const
    return (await this.#caller.send<CreateSpaceAnswer>(request, options)).space
  }

  /** Deletes the space with all of its memories. After a lost response, a retry may throw `NotFoundError`. */
  async delete(id: string, options: UserOptions = {}): Promise<DeleteSpaceAnswer> {
    const query = this.#caller.user(options)
    return this.#caller.send({ method: 'DELETE', path: spacePath(id), query, repeat: 'safe' }, options)
  }

  members(id: string, options: UserOptions = {}): Listing<Member, ListMembersAnswer> {
    return byNumber(
      (page) => this.#read(membersPath(id), { page }, options),
      ({ members }) => members,
    )
  }

  /** Adds a member, or changes the role of one. */
  async setMember(
    id: string,
    member: string,
    role: SetMemberRequest['role'],
    options: UserOptions = {},
  ): Promise<SetMemberAnswer> {
    const body = { member, role, ...this.#caller.user(options) }
    return this.#caller.send({ method: 'POST', path: membersPath(id), body, repeat: 'safe' }, options)
  }

  /** Ends a membership at once. Without a member, the user leaves the space. */
  async removeMember(id: string, member?: string, options: UserOptions = {}): Promise<SetMemberAnswer> {
    const query = { member, ...this.#caller.user(options) }
    return this.#caller.send({ method: 'DELETE', path: membersPath(id), query, repeat: 'safe' }, options)
  }

  /** Ends all memberships of a user who goes. Retried only after a rate limit, because the answer names what happened. */
  async leaveAll(userId: string, options: UserOptions = {}): Promise<LeaveSpacesAnswer> {
    const path = `/users/${pathPart(userId)}/spaces`
    return this.#caller.send({ method: 'DELETE', path, repeat: 'if-refused' }, options)
  }

  #read<Answer>(path: string, fields: object, options: UserOptions): Promise<Answer> {
    const query = { ...fields, ...this.#caller.user(options) }
    return this.#caller.send({ method: 'GET', path, query, repeat: 'safe' }, options)
  }
}

function spacePath(id: string): string {
  return `/spaces/${pathPart(id)}`
}

function membersPath(id: string): string {
  return `${spacePath(id)}/members`
}
