import { describe, expect, it } from 'vitest'
import { invalid } from '../../core/errors.js'
import { translate } from './errors.js'

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error('Failing row contains (alice, my diary)'), { code, detail: 'my diary', ...more })

describe('translate', () => {
  it('keeps stored content out of every field', () => {
    for (const code of ['23502', '22P02', '57014', 'ECONNRESET', '53100']) {
      const error = translate(failure(code, { query: 'my diary', parameters: ['my diary'] }))
      const everything = Object.getOwnPropertyNames(error).map((name) => String(error[name as keyof Error]))
      expect(everything.join(' ')).not.toContain('diary')
      expect(error.stack).toContain('errors.test')
    }
    expect(translate(failure('23505', { constraint_name: 'memories_by_id' })).message).toBe(
      'PostgreSQL refused a statement: 23505 memories_by_id',
    )
  })

  it('turns errors that are temporary, or that an operator can fix, into unavailable', () => {
    for (const code of [
      'ECONNREFUSED',
      'CONNECTION_CLOSED',
      '57P01',
      '57014',
      '53300',
      '25006',
      '58030',
      '40001',
      '28P01',
    ]) {
      expect(translate(failure(code))).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 5 })
    }
  })

  it('takes a worker of Citus that stopped answering for a lost connection', () => {
    const lost = failure('XX000', { routine: 'ErrorIfPostCommitFailedShardPlacements' })
    expect(translate(lost)).toMatchObject({ code: 'unavailable', status: 503 })
    expect(translate(failure('XX000', { routine: 'get_variable' }))).not.toHaveProperty('status')
  })

  it('leaves the service’s own errors unchanged', () => {
    const own = invalid('content', 'is too long')
    expect(translate(own)).toBe(own)
  })
})
