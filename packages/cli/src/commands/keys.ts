import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ApiKey } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { connect, jsonOption, serviceOptions, userOf } from '../connection.js'
import { columns, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const master = 'Managing keys requires the master key: set it as KEEPSAKE_API_KEY.'

const createOptions = {
  user: { type: 'string', value: 'ID', help: 'the user whose memories the key can access; default KEEPSAKE_USER' },
  application: { type: 'boolean', help: 'a key that acts for the user that each request names' },
  'user-prefix': {
    type: 'string',
    value: 'PREFIX',
    help: 'with --application, only for users whose id starts with this; default every user',
  },
  name: { type: 'string', value: 'NAME', help: 'a label for the key; default cli' },
  access: {
    type: 'string',
    value: 'ACCESS',
    help: 'full (default), read, or write: only stores, and sees no memories',
  },
  project: { type: 'string', value: 'NAME', help: 'the only project that the key reaches' },
  ttl: {
    type: 'string',
    value: 'TTL',
    help: 'how long the key works: 12h, 30d, 3m (months); default until it is revoked',
  },
  out: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'write the key to this file, readable only by you, instead of printing it',
  },
  ...jsonOption,
  ...serviceOptions,
} as const satisfies Options

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'create an API key for a user or an application',
  usage: '',
  options: createOptions,
  help: `${master} The new key is printed once, on standard output. Everything else goes to standard error, so KEY=$(…) captures only the key.`,
  examples: [
    'KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys create --user ana --name laptop',
    'KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys create --user ana --out ana.key',
    'KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys create --user ana --access read --project garden --ttl 30d',
    'KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys create --application --user-prefix shop: --name backend',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: createOptions })
    const reach = reachOf(values, io)
    const { user: _, access, project, ttl, ...connection } = values
    if (access !== undefined && !isAccess(access)) throw new UsageError('--access must be full, read or write')
    const client = connect(connection, { ...io, env: { ...io.env, KEEPSAKE_USER: undefined } })
    // The file is created before the key: otherwise a key could be lost because its file can't be written.
    const file = values.out === undefined ? undefined : newFile(values.out)
    try {
      const created = await client.keys.create({
        ...reach,
        name: values.name ?? 'cli',
        access,
        project,
        ttl,
      })
      const { key, ...rest } = created
      file?.write(`${key}\n`)
      if (values.json) await writeJson(io, file === undefined ? created : { ...rest, file: values.out })
      else if (file === undefined) await writeLine(io.stdout, key)
      const where = file === undefined ? 'it is not shown again' : `written to ${oneLine(values.out ?? '')}`
      const until = created.expiresAt ? `, until ${created.expiresAt.slice(0, 16).replace('T', ' ')} UTC` : ''
      if (!values.json) await writeLine(io.stderr, `${created.id} for ${oneLine(usersOf(created))}${until}: ${where}`)
      return exitCodes.fine
    } catch (error) {
      file?.remove()
      throw error
    }
  },
}

interface ReachValues {
  readonly user?: string | undefined
  readonly application?: boolean | undefined
  readonly 'user-prefix'?: string | undefined
}

/** Whom the key reaches: one user, or as an application key those that requests name. */
function reachOf(values: ReachValues, io: Io) {
  const { user, application, 'user-prefix': userPrefix } = values
  if (application) {
    if (user !== undefined) throw new UsageError('--application cannot be combined with --user')
    return { kind: 'application', userPrefix } as const
  }
  if (userPrefix !== undefined) throw new UsageError('--user-prefix needs --application')
  const userId = userOf(values, io)
  if (userId === undefined) throw new UsageError('name the user of the key with --user, or pass --application')
  return { userId }
}

function usersOf({ userId, userPrefix }: Pick<ApiKey, 'userId' | 'userPrefix'>): string {
  if (userId !== null) return userId
  return userPrefix === null ? 'every user' : `users ${userPrefix}…`
}

function isAccess(text: string): text is ApiKey['access'] {
  return text === 'full' || text === 'read' || text === 'write'
}

function newFile(path: string): { write(text: string): void; remove(): void } {
  const descriptor = openSync(path, 'wx', 0o600)
  return {
    write(text) {
      writeSync(descriptor, text)
      closeSync(descriptor)
    },
    remove: () => rmSync(path, { force: true }),
  }
}

const listOptions = {
  user: { type: 'string', value: 'ID', help: 'list only the keys of this user' },
  ...jsonOption,
  ...serviceOptions,
} as const satisfies Options

export const keysList: Command = {
  name: 'keys list',
  also: ['keys'],
  summary: 'list API keys',
  usage: '',
  options: listOptions,
  help: `${master} One key per line: id, status, user, name, limits, creation date and last use. The keys themselves are never listed. With --json, one object per line.`,
  examples: ['KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys list --user ana'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: listOptions })
    const { user, ...connection } = values
    if (user?.trim() === '') throw new UsageError('--user must not be empty')
    const keys = await connect(connection, io).keys.list({ userId: user })
    if (values.json) for (const key of keys) await writeJson(io, key)
    else {
      const paint = painterFor(io)
      const rows = keys.map((key) => cellsOf(key, paint))
      for (const line of columns(rows)) await writeLine(io.stdout, line)
    }
    return exitCodes.fine
  },
}

function cellsOf(key: ApiKey, paint: ReturnType<typeof painterFor>): string[] {
  const used = key.lastUsedAt === null ? 'never used' : `used ${key.lastUsedAt.slice(0, 10)}`
  const status = paint(key.status === 'active' ? 'green' : 'dim', key.status)
  return [
    paint('dim', key.id),
    status,
    oneLine(usersOf(key)),
    oneLine(key.name),
    oneLine(limitsOf(key)),
    `created ${key.createdAt.slice(0, 10)}`,
    used,
  ]
}

function limitsOf({ access, project, expiresAt }: ApiKey): string {
  const limits = [
    access === 'full' ? '' : `${access} only`,
    project === null ? '' : `project ${project}`,
    expiresAt === null ? '' : `until ${expiresAt.slice(0, 10)}`,
  ]
  return limits.filter((text) => text !== '').join(', ') || 'full access'
}

const revokeOptions = { ...jsonOption, ...serviceOptions } as const satisfies Options

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revoke API keys',
  usage: 'ID…',
  options: revokeOptions,
  help: `${master} The keys stop working immediately, on every instance.`,
  examples: ['KEEPSAKE_API_KEY=$SERVICE_MASTER_KEY keepsake keys revoke key_01m7fb64tte8vr369pd08xtccg'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: revokeOptions, allowPositionals: true })
    if (positionals.length === 0) throw new UsageError('pass the id of a key; keepsake keys list shows the ids')
    const client = connect(values, io)
    for (const id of positionals) {
      const answer = await client.keys.revoke(id)
      if (values.json) await writeJson(io, answer)
      else await writeLine(io.stdout, `${answer.id} revoked`)
    }
    return exitCodes.fine
  },
}
