import { parseArgs } from 'node:util'
import type { Grant } from '@keepsake/client'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { connect, jsonOption, serviceOptions } from '../connection.js'
import { columns, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const whose = 'With an API key, the grants of its user; with the master key as KEEPSAKE_API_KEY, those of everyone.'

const listOptions = {
  user: { type: 'string', value: 'ID', help: 'list only the grants of this user' },
  ...jsonOption,
  ...serviceOptions,
} as const satisfies Options

export const grantsList: Command = {
  name: 'grants list',
  also: ['grants'],
  summary: 'list applications connected with OAuth',
  usage: '',
  options: listOptions,
  help: `${whose} One grant per line: id, status, user, name of the application, creation date and last use. With --json, one object per line.`,
  examples: ['keepsake grants list', 'KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake grants list --user ana'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: listOptions })
    const { user, ...connection } = values
    if (user?.trim() === '') throw new UsageError('--user must not be empty')
    const grants = await connect(connection, io).grants.list({ userId: user })
    if (values.json) for (const grant of grants) await writeJson(io, grant)
    else {
      const paint = painterFor(io)
      for (const line of columns(grants.map((grant) => cellsOf(grant, paint)))) await writeLine(io.stdout, line)
    }
    return exitCodes.fine
  },
}

function cellsOf(grant: Grant, paint: ReturnType<typeof painterFor>): string[] {
  return [
    paint('dim', grant.id),
    paint(grant.status === 'active' ? 'green' : 'dim', grant.status),
    oneLine(grant.userId),
    oneLine(grant.clientName),
    `created ${grant.createdAt.slice(0, 10)}`,
    grant.lastUsedAt === null ? 'never used' : `used ${grant.lastUsedAt.slice(0, 10)}`,
  ]
}

const revokeOptions = { ...jsonOption, ...serviceOptions } as const satisfies Options

export const grantsRevoke: Command = {
  name: 'grants revoke',
  summary: 'disconnect applications',
  usage: 'ID…',
  options: revokeOptions,
  help: `${whose} Their tokens stop working immediately, on every instance.`,
  examples: ['keepsake grants revoke grt_01m7fb64tte8vr369pd08xtccg'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: revokeOptions, allowPositionals: true })
    if (positionals.length === 0) throw new UsageError('pass the id of a grant; keepsake grants list shows the ids')
    const client = connect(values, io)
    for (const id of positionals) {
      const answer = await client.grants.revoke(id)
      if (values.json) await writeJson(io, answer)
      else await writeLine(io.stdout, `${answer.id} revoked`)
    }
    return exitCodes.fine
  },
}
