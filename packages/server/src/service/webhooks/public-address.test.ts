import { expect, it } from 'vitest'
import { isPublicAddress, publicLookup, type Resolve } from './public-address.js'

it.each([
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '100::1',
  '2001:db8::1',
  '2001::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'localhost',
  '',
])('rejects %s: not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
  'accepts %s: a public address',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

it('refuses to connect to a name if any of its addresses is private', async () => {
  const resolve: Resolve = (_name, done) =>
    done(null, [
      { address: '93.184.215.14', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ])
  for (const all of [true, false]) {
    const error = await new Promise((tell) => publicLookup(resolve)('rebound.example', { all }, tell))
    expect(error).toMatchObject({ code: 'NOT_PUBLIC' })
  }
})
