import { expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'
import type { Resolve } from './public-address.js'
import { createWebhook } from './webhooks.js'

const actor = { role: 'user', keyId: 'key_1', ip: '192.0.2.1', requestId: 'r' } as const

async function refusalOf(url: string, resolve: Resolve): Promise<unknown> {
  const request = { url, types: [], project: null, secret: undefined }
  // A refused address is refused before anything is used.
  const deps = {} as Deps
  return createWebhook(deps, actor, userScope('ana'), request, { allowPrivate: false, resolve }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message : error),
  )
}

it('refuses a name that does not exist, one without addresses and a private one with the same message', async () => {
  const unknown: Resolve = (_name, done) => done(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), [])
  const nothing: Resolve = (_name, done) => done(null, [])
  const inside: Resolve = (_name, done) => done(null, [{ address: '10.0.0.7', family: 4 }])
  const refusals = [
    await refusalOf('https://intranet.example/', unknown),
    await refusalOf('https://intranet.example/', nothing),
    await refusalOf('https://intranet.example/', inside),
    await refusalOf('https://10.0.0.7/', inside),
  ]
  expect(new Set(refusals)).toEqual(new Set(['url: must be the address of a host on the public internet']))
})
