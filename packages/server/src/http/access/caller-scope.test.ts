import { describe, expect, it } from 'vitest'
import type { Scope } from '../../core/scope.js'
import {
  type Caller,
  projectForStoring,
  scopeForCleanup,
  scopeForIds,
  scopeForOneUser,
  scopeForReading,
  scopeForStoring,
} from './caller-scope.js'

const alice = { kind: 'user', keyId: 'key_1', userId: 'alice', access: 'full', project: null } as const
const callers: Record<string, Caller> = {
  alice,
  master: { kind: 'master' },
  anyone: { kind: 'anyone' },
  nobody: { kind: 'nobody' },
}
const makers = { scopeForReading, scopeForIds, scopeForOneUser, scopeForStoring, scopeForCleanup }

/** The scope in one word, or 400. */
function reach(maker: keyof typeof makers, caller: string, userId?: string): string {
  const who = callers[caller]
  if (!who) throw new Error(`no caller ${caller}`)
  let scope: Scope
  try {
    scope = makers[maker](who, userId, 'p')
  } catch (error) {
    expect(error).toMatchObject({ code: 'validation_error', status: 400, details: [{ path: 'user_id' }] })
    return '400'
  }
  if (scope.kind !== 'nobody') expect(scope.project).toBe('p')
  return scope.kind === 'user' ? scope.userId : scope.kind
}

describe('who reaches what', () => {
  it.each([
    // maker, caller, no user_id, their own, another's
    ['scopeForReading', 'alice', 'alice', 'alice', 'nobody'],
    ['scopeForReading', 'anyone', 'everyone', 'alice', 'bob'],
    ['scopeForReading', 'master', 'nobody', 'nobody', 'nobody'],
    ['scopeForReading', 'nobody', 'nobody', 'nobody', 'nobody'],
    ['scopeForIds', 'alice', 'alice', 'alice', 'nobody'],
    ['scopeForIds', 'anyone', 'everyone', 'alice', 'bob'],
    ['scopeForIds', 'master', 'nobody', 'nobody', 'nobody'],
    ['scopeForIds', 'nobody', 'nobody', 'nobody', 'nobody'],
    ['scopeForOneUser', 'alice', 'alice', 'alice', 'nobody'],
    ['scopeForOneUser', 'anyone', '400', 'alice', 'bob'],
    ['scopeForOneUser', 'master', 'nobody', 'nobody', 'nobody'],
    ['scopeForOneUser', 'nobody', 'nobody', 'nobody', 'nobody'],
    ['scopeForStoring', 'alice', 'alice', 'alice', '400'],
    ['scopeForStoring', 'anyone', '400', 'alice', 'bob'],
    ['scopeForStoring', 'master', '400', '400', '400'],
    ['scopeForStoring', 'nobody', '400', '400', '400'],
    ['scopeForCleanup', 'alice', 'alice', 'alice', 'nobody'],
    ['scopeForCleanup', 'anyone', 'everyone', 'alice', 'bob'],
    ['scopeForCleanup', 'master', 'everyone', 'alice', 'bob'],
    ['scopeForCleanup', 'nobody', 'nobody', 'nobody', 'nobody'],
  ] as const)('%s by %s: %s without a user, %s for alice, %s for bob', (maker, caller, without, own, other) => {
    expect([reach(maker, caller), reach(maker, caller, 'alice'), reach(maker, caller, 'bob')]).toEqual([
      without,
      own,
      other,
    ])
  })

  it('has no project if none was requested', () => {
    expect(scopeForReading({ kind: 'anyone' })).toEqual({ kind: 'everyone' })
    expect(scopeForStoring(alice)).toEqual({
      kind: 'user',
      userId: 'alice',
    })
  })
})

describe('a key of one project', () => {
  const gardener: Caller = { ...alice, project: 'garden' }
  const inGarden = { kind: 'user', userId: 'alice', project: 'garden' }
  const reading = [scopeForReading, scopeForIds, scopeForOneUser, scopeForCleanup]

  it('reaches its project, whether it is named or not', () => {
    for (const maker of [...reading, scopeForStoring]) {
      expect(maker(gardener)).toEqual(inGarden)
      expect(maker(gardener, 'alice', 'garden')).toEqual(inGarden)
    }
  })

  it('sees nothing of another project or user', () => {
    for (const maker of reading) {
      expect(maker(gardener, undefined, 'Garden').kind).toBe('nobody')
      expect(maker(gardener, 'alice', '').kind).toBe('nobody')
      expect(maker(gardener, 'bob', 'garden').kind).toBe('nobody')
    }
  })

  it('neither stores into another project nor moves a memory there', () => {
    expect(() => scopeForStoring(gardener, undefined, 'house')).toThrow('project')
    expect(() => projectForStoring(gardener, null)).toThrow('project')
    expect(projectForStoring(gardener, 'garden')).toBe('garden')
    expect(projectForStoring(alice, null)).toBeNull()
  })
})
