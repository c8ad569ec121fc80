import type { SpaceStore } from '../../ports/space-store.js'
import type { Transact } from '../session.js'
import { leaveSpaces, listMembers, removeMember, setMember } from './members.js'
import { closeSpace, createSpace, dropSpace, findSpace, listSpaces, renameSpace, roleIn } from './spaces.js'

interface Transactions {
  readonly read: Transact
  readonly write: Transact
  readonly writeAside: Transact
}

/** @param engine - called for each transaction, because an engine sets these up after this. */
export function spaceStore(engine: () => Transactions): SpaceStore {
  return {
    create: (member, space, most) => engine().write(member, createSpace, member, space, most),
    roleIn: (member, spaceId) => engine().read(member, roleIn, member, spaceId),
    list: (member, page) => engine().read(member, listSpaces, member, page),
    find: (of) => engine().read(of, findSpace, of),
    rename: (of, name) => engine().write(of, renameSpace, of, name),
    listMembers: (of, page) => engine().read(of, listMembers, of, page),
    setMember: (of, member, rules) => engine().write(of, setMember, of, member, rules),
    // Taking access away must work on a full disk too.
    removeMember: (of, userId) => engine().writeAside(of, removeMember, of, userId),
    leaveAll: (member) => engine().writeAside(member, leaveSpaces, member),
    close: (of, lastMember) => engine().writeAside(of, closeSpace, of, lastMember),
    drop: (of) => engine().writeAside(of, dropSpace, of),
  }
}
