import { parseArgs } from 'node:util'
import type { SetMemberRequest } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { confirmed } from '../confirm.js'
import { connect, connectionOptions, jsonOption } from '../connection.js'
import { columns, counted, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const { project: _project, ...ownConnection } = connectionOptions
const options = { ...jsonOption, ...ownConnection } as const satisfies Options
const deleteOptions = {
  yes: { type: 'boolean', short: 'y', help: 'don’t ask for confirmation' },
  ...options,
} as const satisfies Options

const roles = ['reader', 'writer', 'owner'] as const
const roleHelp = 'A reader reads, a writer also stores, updates and erases memories, an owner also manages members.'

export const spacesList: Command = {
  name: 'spaces list',
  also: ['spaces'],
  summary: 'list spaces: memories shared by a group',
  usage: '',
  options,
  help: 'One space per line: id, your role, and name. Other commands take --space ID. With --json, one object per line.',
  examples: [
    'keepsake spaces list --user ana',
    'keepsake recall --user ana --spaces own,spc_… "Where does John work?"',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const spaces = await connect(values, io).spaces.list().toArray()
    const rows = spaces.map(({ id, role, name }) => [id, role, oneLine(name)])
    return write(io, values.json, spaces, rows)
  },
}

export const spacesCreate: Command = {
  name: 'spaces create',
  summary: 'create a space',
  usage: 'NAME',
  options,
  help: 'Creates a space with you as its owner, and prints its id.',
  examples: ['keepsake spaces create --user ana Team'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [name] = operands(positionals, ['the name of the space'])
    const space = await connect(values, io).spaces.create(name)
    return write(io, values.json, [space], [[space.id]])
  },
}

export const spacesMembers: Command = {
  name: 'spaces members',
  summary: 'list the members of a space',
  usage: 'ID',
  options,
  help: 'One member per line: role, user, and the day of joining. With --json, one object per line.',
  examples: ['keepsake spaces members --user ana spc_01m7fb64tte8vr369pd08xtccg'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [id] = operands(positionals, ['the id of the space'])
    const members = await connect(values, io).spaces.members(id).toArray()
    const rows = members.map(({ member, role, joinedAt }) => [role, oneLine(member), `since ${joinedAt.slice(0, 10)}`])
    return write(io, values.json, members, rows)
  },
}

export const spacesGrant: Command = {
  name: 'spaces grant',
  summary: 'add a member to a space, or change a role',
  usage: 'ID MEMBER ROLE',
  options,
  help: `${roleHelp} With the master key: appoints an owner for a space that has none.`,
  examples: ['keepsake spaces grant --user ana spc_01m7fb64tte8vr369pd08xtccg ben writer'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [id, member, role] = operands(positionals, ['the id of the space', 'the member', 'the role'])
    if (!isRole(role)) throw new UsageError(`the role is one of ${roles.join(', ')}`)
    const answer = await connect(values, io).spaces.setMember(id, member, role)
    return write(io, values.json, [answer], [[`${oneLine(member)} is ${role} of ${answer.id}`]])
  },
}

export const spacesRevoke: Command = {
  name: 'spaces revoke',
  summary: 'remove a member from a space',
  usage: 'ID MEMBER',
  options,
  help: 'Ends the membership at once, on every instance. To leave a space, name yourself.',
  examples: ['keepsake spaces revoke --user ana spc_01m7fb64tte8vr369pd08xtccg ben'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [id, member] = operands(positionals, ['the id of the space', 'the member'])
    const answer = await connect(values, io).spaces.removeMember(id, member)
    return write(io, values.json, [answer], [[`${oneLine(member)} removed from ${answer.id}`]])
  },
}

export const spacesDelete: Command = {
  name: 'spaces delete',
  summary: 'delete a space with its memories',
  usage: 'ID',
  options: deleteOptions,
  help: 'Erases the space and all of its memories. This can’t be undone. Asks for confirmation; without a terminal it needs --yes.',
  examples: ['keepsake spaces delete --user ana spc_01m7fb64tte8vr369pd08xtccg'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: deleteOptions, allowPositionals: true })
    const [id] = operands(positionals, ['the id of the space'])
    const client = connect(values, io)
    if (values.yes !== true) {
      const { name } = await client.spaces.get(id)
      if (!(await confirmed(`Delete the space ${name} and all of its memories permanently?`, io))) {
        await writeLine(io.stderr, 'nothing was deleted')
        return exitCodes.failed
      }
    }
    const answer = await client.spaces.delete(id)
    return write(io, values.json, [answer], [[`${counted(answer.deleted, 'memory', 'memories')} erased`]])
  },
}

/** Exactly these operands. */
function operands<const Names extends readonly string[]>(
  given: readonly string[],
  names: Names,
): { readonly [Place in keyof Names]: string } {
  if (given.length !== names.length || given.some((each) => each.trim() === '')) {
    throw new UsageError(`pass ${names.join(', ')}`)
  }
  // As many as there are names.
  return given as unknown as { readonly [Place in keyof Names]: string }
}

function isRole(text: string): text is SetMemberRequest['role'] {
  return roles.some((role) => role === text)
}

async function write(
  io: Io,
  isJson: boolean | undefined,
  answers: readonly object[],
  rows: readonly string[][],
): Promise<number> {
  if (isJson) for (const answer of answers) await writeJson(io, answer)
  else {
    const paint = painterFor(io)
    for (const line of columns(rows.map(([first = '', ...rest]) => [paint('bold', first), ...rest]))) {
      await writeLine(io.stdout, line)
    }
  }
  return exitCodes.fine
}
