import { parseArgs } from 'node:util'
import { type Item, NotFoundError, type Ttl } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { confirmed } from '../confirm.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { numberOption, readAll, whereOption } from '../input.js'
import { counted, painterFor, writeJson, writeLine } from '../output.js'
import { isolated, oneLine } from '../terminal-text.js'

const common = { ...jsonOption, ...spaceOption, ...connectionOptions } as const satisfies Options
const ifVersion = {
  'if-version': { type: 'string', value: 'N', help: 'only if the item has this version; 0: only if there is none' },
} as const satisfies Options
const below = {
  namespace: { type: 'string', value: 'NAME', help: 'only this namespace' },
  prefix: { type: 'string', value: 'NAME', help: 'this namespace and those below it' },
} as const satisfies Options
const most = { limit: { type: 'string', short: 'n', value: 'N', help: 'maximum number' } } as const satisfies Options

const putOptions = {
  text: { type: 'boolean', help: 'keep the value as text, even if it is JSON' },
  ttl: { type: 'string', value: 'TTL', help: 'time to live, such as 12h or 30d; default permanent' },
  'no-index': { type: 'boolean', help: 'no search by words finds it' },
  ...ifVersion,
  ...common,
} as const satisfies Options
const deleteOptions = {
  yes: { type: 'boolean', short: 'y', help: 'don’t ask for confirmation' },
  ...below,
  ...ifVersion,
  ...common,
} as const satisfies Options
const listOptions = { ...below, ...most, ...common } as const satisfies Options
const searchOptions = {
  ...below,
  where: { type: 'string', value: 'FILTER', help: `conditions on the value as JSON: {"value.theme":"dark"}` },
  ...most,
  ...common,
} as const satisfies Options

export const itemsPut: Command = {
  name: 'items put',
  summary: 'keep a value under a key',
  usage: 'NAMESPACE KEY [VALUE]',
  options: putOptions,
  help: `An item is returned word for word; no recall finds it (docs/items.md). A value that is JSON is kept as JSON, any other as text. Without a
value, it is read from standard input. A namespace is labels separated by dots. The previous version is kept.`,
  examples: [
    `keepsake items put --user ana settings theme '{"dark":true}'`,
    'keepsake items put --user ana notes.work todo < todo.txt',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: putOptions, allowPositionals: true })
    const [namespace, key, ...words] = positionals
    const place = placeOf(namespace, key)
    const text = await valueFrom(io, words)
    const version = versionOf(values['if-version'])
    const { ttl } = values
    const answer = await connect(values, io).items.put(
      place.namespace,
      place.key,
      values.text ? text : jsonOrText(text),
      {
        // The service validates it.
        ...(ttl === undefined ? {} : { ttl: ttl as Ttl }),
        ...(values['no-index'] ? { index: false } : {}),
        ...(version === undefined ? {} : { ifVersion: version }),
      },
    )
    if (values.json) await writeJson(io, answer)
    else await writeLine(io.stdout, `${answer.created ? 'created' : 'stored'}, version ${answer.item.version}`)
    return exitCodes.fine
  },
}

export const itemsGet: Command = {
  name: 'items get',
  summary: 'print the value under a key',
  usage: 'NAMESPACE KEY',
  options: common,
  help: 'A text is printed as it is, any other value as JSON. With --json, the whole item.',
  examples: ['keepsake items get --user ana settings theme'],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: common, allowPositionals: true })
    const { namespace, key } = exactPlace(positionals)
    const item = await connect(values, io).items.get(namespace, key)
    if (item === null) throw new NotFoundError('Item not found')
    if (values.json) await writeJson(io, item)
    else await writeLine(io.stdout, typeof item.value === 'string' ? item.value : JSON.stringify(item.value))
    return exitCodes.fine
  },
}

export const itemsDelete: Command = {
  name: 'items delete',
  summary: 'delete items permanently',
  usage: '[NAMESPACE KEY]',
  options: deleteOptions,
  help: `Deletes one item with all of its versions, or with --namespace or --prefix many. This can’t be undone. Many are deleted only after a
confirmation; without a terminal, --yes is needed.`,
  examples: [
    'keepsake items delete --user ana settings theme',
    'keepsake items delete --user ana --prefix notes --yes',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: deleteOptions, allowPositionals: true })
    const client = connect(values, io)
    const version = versionOf(values['if-version'])
    const many = belowOf(values)
    if (many === undefined) {
      const { namespace, key } = exactPlace(positionals)
      const isDeleted = await client.items.delete(namespace, key, version === undefined ? {} : { ifVersion: version })
      return deleted(io, values.json, isDeleted ? 1 : 0)
    }
    if (positionals.length > 0) throw new UsageError('pass either a namespace and a key, or --namespace or --prefix')
    if (version !== undefined) throw new UsageError('--if-version is for one item')
    const place = values.namespace ?? `${values.prefix} and below`
    if (values.yes !== true && !(await confirmed(`Delete all items in ${place} permanently?`, io))) {
      await writeLine(io.stderr, 'nothing was deleted')
      return exitCodes.failed
    }
    return deleted(io, values.json, await client.items.deleteAll(many))
  },
}

export const itemsList: Command = {
  name: 'items list',
  also: ['items'],
  summary: 'list items by namespace and key',
  usage: '',
  options: listOptions,
  help: 'One item per line: namespace, key, and the beginning of the value. With --json, one whole item per line.',
  examples: ['keepsake items list --user ana', 'keepsake items list --user ana --prefix notes --json | jq -r .key'],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: listOptions })
    const limit = numberOption('limit', values.limit, { min: 1, max: 1_000_000, whole: true })
    let left = limit ?? Number.POSITIVE_INFINITY
    const listing = connect(values, io).items.list({ ...belowOf(values), limit: Math.min(500, left) })
    for await (const item of listing) {
      if (left-- <= 0) break
      await writeItem(io, values.json, item)
    }
    return exitCodes.fine
  },
}

export const itemsSearch: Command = {
  name: 'items search',
  summary: 'search items by meaning and words',
  usage: '[QUERY…]',
  options: searchOptions,
  help: 'The most relevant first; without a query, the latest changes first. Prints like "items list".',
  examples: [
    'keepsake items search --user ana colours',
    `keepsake items search --user ana --prefix settings --where '{"value.dark":true}'`,
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options: searchOptions, allowPositionals: true })
    const limit = numberOption('limit', values.limit, { min: 1, max: 100, whole: true })
    const filter = whereOption(values.where)
    const query = positionals.join(' ').trim()
    const { items } = await connect(values, io).items.search({
      ...belowOf(values),
      ...(query === '' ? {} : { query }),
      ...(filter === undefined ? {} : { filter }),
      ...(limit === undefined ? {} : { limit }),
    })
    for (const item of items) await writeItem(io, values.json, item)
    return exitCodes.fine
  },
}

function placeOf(namespace: string | undefined, key: string | undefined) {
  if (!namespace?.trim() || !key?.trim()) throw new UsageError('pass a namespace and a key')
  return { namespace, key }
}

function exactPlace(positionals: readonly string[]) {
  if (positionals.length > 2) throw new UsageError('pass one namespace and one key')
  return placeOf(positionals[0], positionals[1])
}

function belowOf({
  namespace,
  prefix,
}: {
  readonly namespace?: string | undefined
  readonly prefix?: string | undefined
}) {
  if (namespace !== undefined && prefix !== undefined) throw new UsageError('pass either --namespace or --prefix')
  for (const [name, value] of Object.entries({ namespace, prefix })) {
    // An unset shell variable must not mean everything.
    if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
  }
  if (namespace !== undefined) return { namespace }
  return prefix === undefined ? undefined : { prefix }
}

function versionOf(text: string | undefined): number | undefined {
  return numberOption('if-version', text, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true })
}

/** Word for word, unlike the text of a memory. */
async function valueFrom(io: Io, words: readonly string[]): Promise<string> {
  if (words.length === 0 && io.stdin.isTTY === true)
    throw new UsageError('pass the value as an argument, or pipe it in')
  const text = words.length > 0 ? words.join(' ') : await readAll(io.stdin)
  // Probably the command before the pipe failed. An empty text can be kept as '""'.
  if (text === '') throw new UsageError('the value is empty')
  return text
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A text.
    return text
  }
}

async function deleted(io: Io, isJson: boolean | undefined, count: number): Promise<number> {
  if (isJson) await writeJson(io, { deleted: count })
  else await writeLine(io.stdout, `${counted(count, 'item')} deleted`)
  return count === 0 ? exitCodes.notFound : exitCodes.fine
}

async function writeItem(io: Io, isJson: boolean | undefined, item: Item): Promise<void> {
  if (isJson) return writeJson(io, item)
  const paint = painterFor(io)
  const value = typeof item.value === 'string' ? item.value : JSON.stringify(item.value)
  const short = value.length > 100 ? `${value.slice(0, 99)}…` : value
  const place = `${paint('dim', isolated(oneLine(item.namespace)))}  ${paint('bold', isolated(oneLine(item.key)))}`
  await writeLine(io.stdout, `${place}  ${isolated(oneLine(short))}`)
}
