import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorTable, invalid, notFound, ServiceError, unavailable } from './errors.js'

describe('the error table', () => {
  it.each<[ErrorCode, number]>([
    ['validation_error', 400],
    ['authentication_error', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['rate_limit_exceeded', 429],
    ['internal_error', 500],
    ['unavailable', 503],
  ])('gives %s the status %i', (code, status) => {
    expect(new ServiceError(code, 'why').status).toBe(status)
  })

  it('has no other code', () => {
    expect(Object.keys(errorTable)).toHaveLength(8)
  })
})

describe('an error', () => {
  it('is an Error with its own name and stack', () => {
    const error = new ServiceError('internal_error', 'why')
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('ServiceError')
    expect(error.stack).toContain('errors.test')
  })

  it('names the path of a field in its message and details', () => {
    expect(invalid('metadata.tags[2]', 'must be text')).toMatchObject({
      code: 'validation_error',
      status: 400,
      message: 'metadata.tags[2]: must be text',
      details: [{ path: 'metadata.tags[2]', message: 'must be text' }],
    })
    expect(invalid('', 'must be an object').message).toBe('must be an object')
  })

  it('can have another status than its code', () => {
    expect(new ServiceError('validation_error', 'too large', undefined, 413)).toMatchObject({
      code: 'validation_error',
      status: 413,
    })
  })

  it('says when to retry when the service is busy', () => {
    expect(unavailable('busy')).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 1 })
    expect(unavailable('busy', 5).retryAfterSeconds).toBe(5)
  })

  it('says what was not found', () => {
    expect(notFound('Memory')).toMatchObject({ code: 'not_found', status: 404, message: 'Memory not found' })
  })
})
