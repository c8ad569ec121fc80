/** Suggests the field that a request probably meant by an unknown name. */
import { editDistance } from './edit-distance.js'

/** Names that other memory services and search APIs use, without separators. The first that the request has is suggested. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  ...named('content', 'data', 'fact', 'input', 'memory', 'note', 'value'),
  ...named('query', 'ask', 'prompt', 'question', 'search', 'searchquery'),
  ...named('limit', 'count', 'k', 'maxresults', 'n', 'numresults', 'pagesize', 'perpage', 'size', 'topk', 'topn'),
  ...named('user_id', 'owner', 'uid', 'user', 'username'),
  ...named('project', 'collection', 'namespace', 'projectid', 'workspace'),
  ...named('conversation_id', 'runid', 'sessionid', 'threadid'),
  ...named('ttl', 'expiration', 'expires', 'expiresin', 'expiry', 'lifetime'),
  ...named('created_at', 'date', 'time', 'timestamp'),
  ...named('as_of', 'asat', 'at'),
  ...named('metadata', 'meta', 'properties', 'tags'),
  ...named('threshold', 'minscore', 'scorethreshold', 'similaritythreshold'),
  ...named('memory_ids', 'id', 'ids', 'memoryid'),
  ...named('enable_rerank', 'rerank'),
  ...named('enable_hybrid', 'hybrid'),
  ...named('page', 'pagenumber'),
  // These mean different fields in different requests.
  text: ['content', 'query', 'q'],
  message: ['messages', 'content'],
}

function named(field: string, ...others: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(others.map((other) => [other, [field]]))
}

const longestName = 40

/** The problem with a field that a request has and its schema lacks. `known` are the fields that are allowed there. */
export function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestField(name, known)
  return nearest === undefined ? 'is not a known field' : `is not a known field; did you mean ${nearest}?`
}

/** Undefined if no field is near. */
function nearestField(name: string, fields: readonly string[]): string | undefined {
  const plain = plainName(name)
  if (plain === '' || name.length > longestName) return undefined
  const same = fields.find((field) => plainName(field) === plain)
  if (same !== undefined) return same
  const meant = (Object.hasOwn(synonyms, plain) ? synonyms[plain] : undefined)?.find((field) => fields.includes(field))
  if (meant !== undefined) return meant
  // Two typing errors in a long name, one in a short name: more is a different word.
  const most = plain.length < 6 ? 1 : 2
  const [nearest] = fields
    .map((field) => ({ field, distance: distance(plain, plainName(field)) }))
    .filter((each) => each.distance <= most)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.field
}

/** `userId`, `user-id` and `USER_ID` are one name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Swapped letters, as in `tll` for `ttl` and `usre` for `user`, are one error. */
function distance(one: string, other: string): number {
  const isSwapped =
    one.length === other.length &&
    [...one].sort().join('') === [...other].sort().join('') &&
    differences(one, other) === 2
  return isSwapped ? 1 : editDistance(one, other)
}

function differences(one: string, other: string): number {
  return [...one].filter((letter, at) => letter !== other[at]).length
}
