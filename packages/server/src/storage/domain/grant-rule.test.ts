import { describe, expect, it } from 'vitest'
import { decideOnCode, decideOnRefresh, type GrantState, isSame } from './grant-rule.js'

const fresh: GrantState = {
  clientId: 'client',
  audience: 'https://a.example/mcp',
  expiresAt: 100,
  revokedAt: null,
  codeHash: 'code',
  challenge: 'challenge',
  redirectUri: 'https://c.example/back',
  familyHash: null,
  refreshHash: null,
  formerRefreshHash: null,
  refreshedAt: 0,
}
const redeemed: GrantState = { ...fresh, familyHash: 'family', refreshHash: 'refresh' }
const rotated: GrantState = { ...redeemed, formerRefreshHash: 'former', refreshedAt: 50, expiresAt: 1_000_000 }
const code = {
  codeHash: 'code',
  challenge: 'challenge',
  clientId: 'client',
  redirectUri: 'https://c.example/back',
  audience: 'https://a.example/mcp',
  now: 99,
}
const refresh = {
  familyHash: 'family',
  refreshHash: 'refresh',
  clientId: 'client',
  audience: 'https://a.example/mcp',
  now: 99,
}

describe('a code', () => {
  it('yields tokens once, for the client, redirect, verifier and audience that it was issued for', () => {
    expect(decideOnCode(fresh, code)).toBe('issue')
  })

  it.each([
    ['another code', { codeHash: 'codE' }],
    ['another verifier', { challenge: 'other' }],
    ['another client', { clientId: 'other' }],
    ['another redirect', { redirectUri: 'https://c.example/back/' }],
    ['another audience', { audience: 'https://b.example/mcp' }],
    ['the moment when it expires', { now: 100 }],
  ])('is refused with %s, and stays redeemable', (_what, change) => {
    expect(decideOnCode(fresh, { ...code, ...change })).toBe('refuse')
  })

  it('ends the grant when it is used again, even with a wrong verifier or after it expired', () => {
    for (const change of [{}, { challenge: 'other' }, { clientId: 'other' }, { now: 5000 }])
      expect(decideOnCode(redeemed, { ...code, ...change })).toBe('end')
  })

  it('does nothing to a redeemed grant if it is another code', () => {
    expect(decideOnCode(redeemed, { ...code, codeHash: 'guess' })).toBe('refuse')
  })

  it('is refused after the grant ended', () => {
    expect(decideOnCode({ ...fresh, revokedAt: 1 }, code)).toBe('refuse')
  })
})

describe('a refresh token', () => {
  it('yields tokens if it is the latest one', () => {
    expect(decideOnRefresh(redeemed, refresh)).toBe('issue')
  })

  it('ends the grant if it was replaced, whoever sends it', () => {
    for (const change of [{}, { clientId: 'other' }, { now: 5000 }])
      expect(decideOnRefresh(redeemed, { ...refresh, refreshHash: 'earlier', ...change })).toBe('end')
  })

  it('is accepted again for 30 s after it was replaced, and ends the grant from then on', () => {
    const repeated = { ...refresh, refreshHash: 'former' }
    expect(decideOnRefresh(rotated, repeated)).toBe('repeat')
    expect(decideOnRefresh(rotated, { ...repeated, now: 30_049 })).toBe('repeat')
    expect(decideOnRefresh(rotated, { ...repeated, now: 30_050 })).toBe('end')
    expect(decideOnRefresh(rotated, { ...repeated, clientId: 'other' })).toBe('refuse')
    expect(decideOnRefresh(rotated, { ...refresh, refreshHash: 'older' })).toBe('end')
  })

  it.each([
    ['of another family', { familyHash: 'guess', refreshHash: 'guess' }],
    ['from another client', { clientId: 'other' }],
    ['for another audience', { audience: 'https://b.example/mcp' }],
    ['at the moment when the grant expires', { now: 100 }],
  ])('is refused %s', (_what, change) => {
    expect(decideOnRefresh(redeemed, { ...refresh, ...change })).toBe('refuse')
  })

  it('is refused before the code is redeemed, and after the grant ended', () => {
    expect(decideOnRefresh(fresh, refresh)).toBe('refuse')
    expect(decideOnRefresh({ ...redeemed, revokedAt: 1 }, refresh)).toBe('refuse')
  })
})

it('compares texts of any length', () => {
  expect(isSame('a', 'a')).toBe(true)
  expect(isSame('', 'a')).toBe(false)
  expect(isSame('ab', 'é')).toBe(false)
})
