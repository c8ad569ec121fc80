import { parseArgs } from 'node:util'
import { type Entity, type Keepsake, NotFoundError, type Relationship } from '@keepsake/client'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { momentOption, numberOption } from '../input.js'
import { columns, counted, type Paint, painterFor, writeJson, writeLine } from '../output.js'
import { isolated, oneLine } from '../terminal-text.js'

const entityTypes = ['PERSON', 'ORG', 'LOCATION', 'PRODUCT', 'EVENT', 'CONCEPT'] as const
const largestPage = 500

const listOptions = {
  type: { type: 'string', value: 'TYPE', choices: entityTypes, help: entityTypes.join(', ') },
  q: { type: 'string', short: 'q', value: 'TEXT', help: 'only entities whose name or alias contains this text' },
  limit: { type: 'string', short: 'n', value: 'N', help: 'maximum number; default 50' },
  all: { type: 'boolean', help: 'list all of them' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

export const entitiesList: Command = {
  name: 'entities list',
  also: ['entities'],
  summary: 'list the people, places and things that memories mention',
  usage: '',
  options: listOptions,
  help: 'One entity per line: id, type, number of memories that mention it, name and aliases. Most recently seen first. With --json, one object per line.',
  examples: ['keepsake entities --user ana', 'keepsake entities list --user ana --type PERSON --all --json'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: listOptions })
    const type = entityTypes.find((each) => each === values.type?.toUpperCase())
    if (values.type !== undefined && type === undefined) throw new UsageError(`--type takes ${entityTypes.join(', ')}`)
    const most = values.all
      ? Number.POSITIVE_INFINITY
      : (numberOption('limit', values.limit, { min: 1, max: 1_000_000, whole: true }) ?? 50)
    const client = connect(values, io)
    const paint = painterFor(io)
    let [shown, total] = [0, 0]
    const listing = client.entities.list({ type, q: values.q, limit: Math.min(most, largestPage) })
    for await (const page of listing.pages()) {
      total = page.total
      const meant = page.entities.slice(0, most - shown)
      shown += meant.length
      if (values.json) for (const entity of meant) await writeJson(io, entity)
      else for (const line of columns(meant.map((entity) => cellsOf(entity, paint)))) await writeLine(io.stdout, line)
      if (shown >= most) break
    }
    if (!values.json && shown < total) await writeLine(io.stderr, `${shown} of ${total}; --all shows the rest`)
    return exitCodes.fine
  },
}

function cellsOf({ id, type, memoryCount, name, aliases }: Entity, paint: Paint): string[] {
  const others = aliases.length === 0 ? '' : ` (${aliases.map(oneLine).join(', ')})`
  return [paint('dim', id), paint('cyan', type), String(memoryCount), `${oneLine(name)}${others}`]
}

const showOptions = {
  'as-of': { type: 'string', value: 'TIME', help: 'relationships at that time: 2026-05-01' },
  history: { type: 'boolean', help: 'include relationships that have ended' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

export const entitiesShow: Command = {
  name: 'entities show',
  summary: 'show one entity with its relationships',
  usage: 'ID|NAME',
  options: showOptions,
  help: 'Shows an entity with its relationships in both directions and their start dates. The name must belong to one entity only; otherwise use the id.',
  examples: [
    'keepsake entities show --user ana John',
    'keepsake entities show ent_01m7fb64tte8vr369pd08xtccg --history --json',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: showOptions, allowPositionals: true })
    const name = positionals.join(' ').trim()
    if (name === '') throw new UsageError('name an entity by its id or name')
    const asOf = momentOption('as-of', values['as-of'])
    const client = connect(values, io)
    const id = /^ent_[0-9a-z]+$/.test(name) ? name : await idOf(client, name)
    const answer = await client.entities.relationships(id, { asOf, includeHistory: values.history })
    if (values.json) {
      await writeJson(io, answer)
      return exitCodes.fine
    }
    const paint = painterFor(io)
    const { entity, relationships } = answer
    const seen = `${counted(entity.memoryCount, 'memory', 'memories')}, ${entity.firstSeen.slice(0, 10)} to ${entity.lastSeen.slice(0, 10)}`
    await writeLine(
      io.stdout,
      `${paint('bold', isolated(oneLine(entity.name)))}  ${paint('cyan', entity.type)}  ${paint('dim', entity.id)}`,
    )
    if (entity.aliases.length > 0) await writeLine(io.stdout, `also known as ${entity.aliases.map(oneLine).join(', ')}`)
    await writeLine(io.stdout, paint('dim', seen))
    for (const line of columns(relationships.map((each) => relationCells(each, paint))))
      await writeLine(io.stdout, `  ${line}`)
    return exitCodes.fine
  },
}

function relationCells({ source, type, target, validFrom, validTo }: Relationship, paint: Paint): string[] {
  const until = validTo === null ? '' : ` until ${validTo.slice(0, 10)}`
  return [
    oneLine(source),
    paint('cyan', type),
    oneLine(target),
    paint('dim', `since ${validFrom.slice(0, 10)}${until}`),
  ]
}

async function idOf(client: Keepsake, name: string): Promise<string> {
  const wanted = name.toLowerCase()
  const named: Entity[] = []
  for await (const entity of client.entities.list({ q: name, limit: largestPage })) {
    if ([entity.name, ...entity.aliases].some((each) => each.toLowerCase() === wanted)) named.push(entity)
  }
  const [first] = named
  if (first === undefined) throw new NotFoundError(`There is no entity named ${JSON.stringify(name)}`)
  if (named.length > 1) {
    const ids = named.map(({ id, type, userId }) => `${id} (${type}, ${userId})`).join(', ')
    throw new UsageError(`${named.length} entities have that name: ${ids}`)
  }
  return first.id
}
