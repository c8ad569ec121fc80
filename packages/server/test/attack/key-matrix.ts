/**
 * Every operation of an OpenAPI document × every kind of wrong key. `accessOf` decides which key is right, not the document: an
 * operation that it does not list as open needs a key.
 */
import type { FastifyInstance } from 'fastify'
import { type Method, masterKey } from '../support/harness.js'
import { asNode, type Operation } from '../support/openapi-check.js'
import { accessOf, nameOf } from '../support/samples.js'
import { fieldsOf } from './operation-fields.js'

export interface Cell {
  /** For example `a revoked key`. */
  readonly what: string
  readonly authorization: string | undefined
}

/** No API key or an invalid one: refused wherever a key is needed. */
export function badKeys(good: string, revoked: string): Cell[] {
  const unknownId = good.replace(/^ksk_.{26}/, 'ksk_01h455vb4pex5vsknk084sn02q')
  const wrongSecret = `${good.slice(0, -5)}${good.endsWith('AAAAA') ? 'BBBBB' : 'AAAAA'}`
  const bearers: Readonly<Record<string, string>> = {
    'a revoked key': revoked,
    'an unknown id': unknownId,
    'a wrong secret': wrongSecret,
    'a key that was cut': good.slice(0, -1),
    'a key with more behind it': `${good}A`,
    'the front of a key': good.slice(0, 31),
    'the prefix alone': 'ksk_',
    nonsense: 'nonsense',
    'a master key that was cut': masterKey.slice(0, -1),
    'a master key with more behind it': `${masterKey}x`,
    'a key of 1,100 characters': `ksk_${'a'.repeat(1100)}`,
    'two keys': `${good} ${good}`,
    'two keys with a comma': `${good}, Bearer ${good}`,
    'a key with a NUL': `${good}\u0000`,
    'a key that is not ASCII': `${good.slice(0, -1)}é`,
    undefined: 'undefined',
  }
  const headers: Readonly<Record<string, string | undefined>> = {
    'no key': undefined,
    'an empty header': '',
    'a scheme alone': 'Bearer',
    'a scheme and a blank': 'Bearer ',
    'a key without a scheme': good,
    'another scheme': `Basic ${good}`,
    'the master key in another scheme': `Token ${masterKey}`,
  }
  return [
    ...Object.entries(headers).map(([what, authorization]) => ({ what, authorization })),
    ...Object.entries(bearers).map(([what, key]) => ({ what, authorization: `Bearer ${key}` })),
  ]
}

/** Valid keys of the wrong kind for the operation. */
export function unfitKeys(operation: Operation, good: string): Cell[] {
  const access = accessOf(operation)
  if (access === 'user') return [{ what: 'the master key on a user’s route', authorization: `Bearer ${masterKey}` }]
  if (access === 'master' || access === 'metrics')
    return [{ what: 'an API key on a master route', authorization: `Bearer ${good}` }]
  return []
}

export interface Ask {
  readonly path: string
  readonly body?: object | undefined
}

/** The cells in which the operation was not refused as it should be. */
export async function holesOf(app: FastifyInstance, operation: Operation, ask: Ask, cells: readonly Cell[]) {
  const holes: string[] = []
  for (const { what, authorization } of cells) {
    const { statusCode, headers, payload } = await app.inject({
      // The OpenAPI document contains only HTTP methods.
      method: operation.method as Method,
      url: ask.path,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(ask.body === undefined ? {} : { payload: JSON.stringify(ask.body) }),
    })
    const refused =
      statusCode === 401 &&
      headers['www-authenticate'] !== undefined &&
      asNode(asNode(JSON.parse(payload)).error).code === 'authentication_error'
    if (!refused) holes.push(`${nameOf(operation)} with ${what}: ${statusCode} ${payload.slice(0, 200)}`)
  }
  return holes
}

/** The same request with the owner in every place where the document accepts a user. */
export function namingOwner(operation: Operation, ask: Ask, owner: string): Ask[] {
  const { query, body } = fieldsOf(operation)
  const takesUser = (fields: readonly { readonly name: string }[] = []) => fields.some(({ name }) => name === 'user_id')
  return [
    ask,
    ...(takesUser(query) ? [{ ...ask, path: `${ask.path}?user_id=${encodeURIComponent(owner)}` }] : []),
    ...(takesUser(body) ? [{ ...ask, body: { ...ask.body, user_id: owner } }] : []),
  ]
}
