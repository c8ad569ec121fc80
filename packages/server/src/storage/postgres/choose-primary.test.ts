import { describe, expect, it } from 'vitest'
import { choosePrimary, type HostAnswer } from './choose-primary.js'

function answer(host: string, timeline: number, more: Partial<HostAnswer> = {}): HostAnswer {
  return { host, system: 's', timeline, started: host, isStandby: false, isReadOnly: false, ...more }
}
const standby = (host: string, timeline: number) => answer(host, timeline, { isStandby: true })
const at = (timeline: number) => ({ system: 's', timeline })

describe('the choice of the primary', () => {
  it('is the only host that is not a standby, wherever it stands in the list', () => {
    expect(choosePrimary([standby('a', 1), answer('b', 1)], undefined)).toMatchObject({
      kind: 'primary',
      answer: { host: 'b' },
    })
  })

  it('moves to a promoted standby when the old primary does not answer', () => {
    expect(choosePrimary([answer('b', 2)], at(1))).toMatchObject({
      kind: 'primary',
      answer: { host: 'b' },
      outdated: [],
    })
  })

  it('stays with the newer timeline that is followed already, and names the outdated primary', () => {
    expect(choosePrimary([answer('a', 1), answer('b', 2)], at(2))).toMatchObject({
      kind: 'primary',
      answer: { host: 'b' },
      outdated: [{ host: 'a' }],
    })
  })

  it.each([
    ['the one in use is on the older timeline', [answer('a', 1), answer('b', 2)], at(1)],
    ['nothing is known from before', [answer('a', 1), answer('b', 2)], undefined],
    ['both are on the newest timeline', [answer('a', 2), answer('b', 2)], at(2)],
  ])('is nobody if two accept writes and %s', (_, answers, known) => {
    expect(choosePrimary(answers, known)).toMatchObject({ kind: 'several', answers })
  })

  it('is never an outdated primary, not even alone', () => {
    expect(choosePrimary([answer('a', 1)], at(2))).toMatchObject({ kind: 'none', outdated: [{ host: 'a' }] })
    // The standby has followed a primary that no longer answers.
    expect(choosePrimary([answer('a', 1), standby('c', 2)], undefined)).toMatchObject({
      kind: 'none',
      outdated: [{ host: 'a' }],
    })
  })

  it('is nobody while every host is a standby or silent', () => {
    expect(choosePrimary([standby('a', 1), standby('b', 1)], at(1))).toMatchObject({ kind: 'none' })
    expect(choosePrimary([], at(1))).toMatchObject({ kind: 'none' })
  })

  it('ignores a primary that was made read-only, unless there is no other', () => {
    const fenced = answer('a', 1, { isReadOnly: true })
    expect(choosePrimary([fenced, answer('b', 2)], at(1))).toMatchObject({ kind: 'primary', answer: { host: 'b' } })
    expect(choosePrimary([fenced, standby('b', 1)], at(1))).toMatchObject({ kind: 'primary', answer: { host: 'a' } })
  })

  it('takes one server under two names for one', () => {
    const twice = [answer('a', 1, { started: 'noon' }), answer('b', 1, { started: 'noon' })]
    expect(choosePrimary(twice, undefined)).toMatchObject({ kind: 'primary', answer: { host: 'a' } })
  })

  it('refuses hosts of different clusters', () => {
    const other = answer('b', 1, { system: 't', isStandby: true })
    expect(choosePrimary([answer('a', 1), other], undefined)).toMatchObject({ kind: 'strangers' })
    expect(choosePrimary([answer('a', 1)], { system: 't', timeline: 1 })).toMatchObject({ kind: 'strangers' })
  })
})
