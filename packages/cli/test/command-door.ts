/** The command line as a door: each operation runs the matching command in this process. */
import type { Attempt, Door, Outcome } from '../../server/test/attack/door.js'
import { type Address, type Fields, fieldsOf, placeIn } from './doors.js'
import { keepsake } from './in-process.js'

interface Line {
  readonly args: readonly string[]
  readonly input?: string
}

type Write = (fields: Fields, id: string) => Line

/** Builds options for the fields that a command supports; all others are left out. */
function options(fields: Fields, ...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = fields[name]
    const option = `--${name.replace(/^user_id$/, 'user').replaceAll('_', '-')}`
    if (value === undefined || value === false || value === 'false') return []
    return value === true || value === 'true' ? [option] : [`${option}=${String(value)}`]
  })
}

function renamed(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]))
}

const ofItems = ['user_id', 'space', 'project']

function wordsOf(id: string): readonly string[] {
  const { namespace, key } = placeIn(id)
  return [namespace, key]
}

const lines: Readonly<Record<string, Write>> = {
  storeMemories(fields) {
    const { content, messages, metadata } = fields
    const pairs = Object.entries(metadata ?? {}).map(([key, value]) => `--metadata=${key}:=${JSON.stringify(value)}`)
    const shared = [...options(fields, 'user_id', 'space', 'project', 'ttl', 'created_at', 'source'), ...pairs]
    return messages === undefined
      ? { args: ['store', ...shared, '--json'], input: String(content) }
      : { args: ['store', ...shared, '--messages', '-', '--json'], input: JSON.stringify(messages) }
  },
  recallMemories(fields) {
    const named = renamed(fields, { enable_rerank: 'rerank', include_history: 'history' })
    const known = [
      'user_id',
      'spaces',
      'project',
      'limit',
      'threshold',
      'as_of',
      'explain',
      'rerank',
      'max_tokens',
      'entity',
      'history',
    ]
    const filters = Object.entries(fields.filters ?? {}).map(
      ([key, value]) => `--filter=${key}:=${JSON.stringify(value)}`,
    )
    return { args: ['recall', ...options(named, ...known), ...filters, '--json'], input: String(fields.query) }
  },
  getProfile: (fields, id) => ({
    args: ['profile', ...options(fields, 'space', 'project', 'max_tokens', 'as_of', 'topics'), '--json', '--', id],
  }),
  listMemories: (fields) => ({
    args: [
      'list',
      ...options(
        renamed(fields, { include_expired: 'expired' }),
        ...['user_id', 'space', 'project', 'q', 'limit', 'expired', 'flagged'],
      ),
      '--json',
    ],
  }),
  releaseMemory: (fields, id) => ({ args: ['release', ...options(fields, 'user_id', 'space'), '--json', '--', id] }),
  deleteMemories({ memory_ids: ids, all, ...rest }) {
    const shared = ['forget', ...options(rest, 'user_id', 'space', 'project'), '--json']
    if (all !== undefined) return { args: [...shared, '--all', '--yes'] }
    return { args: [...shared, '-'], input: (Array.isArray(ids) ? ids : String(ids).split(',')).join('\n') }
  },
  listEntities: (fields) => ({
    args: ['entities', 'list', ...options(fields, 'user_id', 'space', 'project', 'type', 'q', 'limit'), '--json'],
  }),
  getEntityRelationships: (fields, id) => ({
    args: [
      'entities',
      'show',
      ...options(renamed(fields, { include_history: 'history' }), 'user_id', 'space', 'as_of', 'history'),
      '--json',
      '--',
      id,
    ],
  }),
  putItem: (fields, id) => ({
    args: ['items', 'put', ...options(fields, ...ofItems, 'ttl', 'if_version'), '--json', '--', ...wordsOf(id)],
    input: JSON.stringify(fields.value ?? null),
  }),
  getItem: (fields, id) => ({ args: ['items', 'get', ...options(fields, ...ofItems), '--json', '--', ...wordsOf(id)] }),
  deleteItem: (fields, id) => ({
    args: ['items', 'delete', ...options(fields, ...ofItems, 'if_version'), '--json', '--', ...wordsOf(id)],
  }),
  deleteItems: (fields) => ({
    args: ['items', 'delete', '--yes', ...options(fields, ...ofItems, 'namespace', 'prefix'), '--json'],
  }),
  listItems: (fields) => ({
    args: ['items', 'list', ...options(fields, ...ofItems, 'namespace', 'prefix', 'limit'), '--json'],
  }),
  searchItems(fields) {
    const where = fields.filter === undefined ? [] : [`--where=${JSON.stringify(fields.filter)}`]
    const query = fields.query === undefined ? [] : [String(fields.query)]
    const known = options(fields, ...ofItems, 'namespace', 'prefix', 'limit')
    return { args: ['items', 'search', ...known, ...where, '--json', '--', ...query] }
  },
  createSpace: (fields) => ({
    args: ['spaces', 'create', ...options(fields, 'user_id'), '--json', '--', String(fields.name)],
  }),
  listSpaces: (fields) => ({ args: ['spaces', 'list', ...options(fields, 'user_id'), '--json'] }),
  deleteSpace: (fields, id) => ({
    args: ['spaces', 'delete', '--yes', ...options(fields, 'user_id'), '--json', '--', id],
  }),
  listMembers: (fields, id) => ({ args: ['spaces', 'members', ...options(fields, 'user_id'), '--json', '--', id] }),
  setMember: (fields, id) => ({
    args: ['spaces', 'grant', ...options(fields, 'user_id'), '--json', '--', id, `${fields.member}`, `${fields.role}`],
  }),
  removeMember: (fields, id) => ({
    args: ['spaces', 'revoke', ...options(fields, 'user_id'), '--json', '--', id, `${fields.member}`],
  }),
  listGrants: (fields) => ({ args: ['grants', 'list', ...options(fields, 'user_id'), '--json'] }),
  revokeGrant: (_fields, id) => ({ args: ['grants', 'revoke', '--json', '--', id] }),
  listKeys: (fields) => ({ args: ['keys', 'list', ...options(fields, 'user_id'), '--json'] }),
}

export function commandDoor(url: Address): Door {
  const lineFor = ({ operation }: Pick<Attempt, 'operation'>) => lines[String(operation.description.operationId)]
  return {
    name: 'command line',
    offers: (operation) => lineFor({ operation }) !== undefined,
    async perform(attempt) {
      const write = lineFor(attempt)
      if (write === undefined) throw new Error('the command line has no such command')
      const { args, input } = write(fieldsOf(attempt), attempt.id ?? '')
      const env = {
        KEEPSAKE_URL: await url(),
        KEEPSAKE_MASTER_KEY: attempt.key ?? '',
        KEEPSAKE_API_KEY: attempt.key ?? '',
      }
      const { code, output, errors } = await keepsake(args, { env, ...(input === undefined ? {} : { input }) })
      const told = errors.replace(/ ?\[request [^\]]*\]/g, '')
      return {
        status: statusOf(code, errors),
        answer: `${code} ${output}${told}`,
        body: parsed(output),
        aside: errors,
      } satisfies Outcome
    },
  }
}

/** The closest HTTP status. A limited key has the exit code of a wrong one, but another hint. */
function statusOf(code: number, errors: string): number {
  if (errors.includes('use a key without this limit')) return 403
  // A conflict has the exit code of any other failure.
  if (code === 1 && errors.includes('if_version: ')) return 409
  const statuses: Readonly<Record<number, number>> = { 0: 200, 2: 400, 3: 503, 4: 401, 5: 404, 6: 429 }
  return statuses[code] ?? 500
}

/** One object, or one per line. */
function parsed(output: string): unknown {
  const values = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
  return values.length === 1 ? values[0] : values
}
