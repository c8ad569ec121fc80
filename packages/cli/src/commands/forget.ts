import { parseArgs } from 'node:util'
import type { Filter, Keepsake } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { confirmed } from '../confirm.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { readAll, whereOption } from '../input.js'
import { counted, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const options = {
  all: { type: 'boolean', help: 'erase all memories of the user, or of --project' },
  where: {
    type: 'string',
    value: 'FILTER',
    help: 'erase the memories that pass this filter, as JSON: docs/api.md#filters',
  },
  yes: { type: 'boolean', short: 'y', help: 'don’t ask for confirmation' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

/** The most ids the service accepts per request. */
const idsAtOnce = 1000

export const forget: Command = {
  name: 'forget',
  summary: 'erase memories permanently',
  usage: '[ID…]',
  options,
  help: `Erases the named memories, those that pass --where, or with --all every memory of the user. Pass - to read ids from standard input, one per line. Content, vectors,
history, and anything about entities that only these memories said are erased too. This can’t be undone. --where and --all ask for confirmation;
without a terminal they need --yes.

Exit codes: as for all commands; 5 if a named memory does not exist.`,
  examples: [
    'keepsake forget --user ana mem_01m7fb64tte8vr369pd08xtccg',
    'keepsake list --user ana --q Berlin --json | jq -r .id | keepsake forget --user ana -',
    `keepsake forget --user ana --where '{"metadata.run_id":"r7"}'`,
    'keepsake forget --user ana --project travel --all',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const filter = whereOption(values.where)
    const ways = [values.all === true, filter !== undefined, positionals.length > 0].filter(Boolean).length
    if (ways > 1) throw new UsageError('pass ids, --where or --all, not several of them')
    if (ways === 0) throw new UsageError('pass the ids of memories, --where or --all')
    const client = connect(values, io)
    if (filter !== undefined) return forgetWhere(client, filter, values, io)
    if (values.all === true) return forgetAll(client, values, io)
    return forgetThese(client, await idsOf(positionals, io), values.json === true, io)
  },
}

async function idsOf(named: readonly string[], io: Io): Promise<string[]> {
  const isPiped = named.includes('-')
  if (isPiped && named.length > 1) throw new UsageError('- can’t be combined with ids')
  const ids = isPiped ? (await readAll(io.stdin)).split(/\s+/).filter((id) => id !== '') : [...named]
  return [...new Set(ids)]
}

async function forgetThese(client: Keepsake, ids: readonly string[], isJson: boolean, io: Io): Promise<number> {
  const gone = new Set<string>()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const { memoryIds } = await client.forget(ids.slice(at, at + idsAtOnce), { project: null })
    for (const id of memoryIds) gone.add(id)
  }
  const missing = ids.filter((id) => !gone.has(id))
  if (isJson) await writeJson(io, { status: 'success', deleted: gone.size, memoryIds: [...gone], missing })
  else await writeLine(io.stdout, `${gone.size} erased`)
  if (missing.length === 0) return exitCodes.fine
  const names = missing.length > 3 ? `${missing.slice(0, 3).join(', ')}, …` : missing.join(', ')
  await writeLine(io.stderr, `keepsake forget: ${missing.length} not found: ${oneLine(names)}`)
  return exitCodes.notFound
}

interface Answering {
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
}

async function forgetWhere(client: Keepsake, filter: Filter, { yes, json }: Answering, io: Io): Promise<number> {
  const { total } = await client.listPage({ filter, includeExpired: true, limit: 1 })
  const question = `Erase ${counted(total, 'memory', 'memories')} and ${total === 1 ? 'its' : 'their'} history permanently?`
  if (yes !== true && !(await confirmed(question, io))) {
    await writeLine(io.stderr, 'nothing was erased')
    return exitCodes.failed
  }
  const answer = await client.forget({ filter })
  if (json) await writeJson(io, answer)
  else await writeLine(io.stdout, `${answer.deleted} erased`)
  return exitCodes.fine
}

async function forgetAll(client: Keepsake, { yes, json }: Answering, io: Io): Promise<number> {
  const user = client.userId === undefined ? 'the user of the key' : client.userId
  const whose = client.space === undefined ? user : `the space ${client.space}`
  const where = client.project === undefined ? '' : ` in the project ${client.project}`
  const question = `Erase all memories of ${whose}${where} permanently?`
  if (yes !== true && !(await confirmed(question, io))) {
    await writeLine(io.stderr, 'nothing was erased')
    return exitCodes.failed
  }
  const answer = await client.forget({ all: true })
  if (json) await writeJson(io, answer)
  else await writeLine(io.stdout, `${answer.deleted} erased`)
  return exitCodes.fine
}
