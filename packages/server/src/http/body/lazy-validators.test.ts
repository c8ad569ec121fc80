import { describe, expect, it } from 'vitest'
import { lazyValidators } from './lazy-validators.js'

const routeOf = (url: string) => ({
  schema: { type: 'object', properties: { count: { type: 'integer', default: 3 } }, additionalProperties: false },
  method: 'POST',
  url,
  httpPart: 'body',
})

function counting() {
  const compiled: string[] = []
  const validators = lazyValidators(() => ({ url }) => {
    compiled.push(url)
    return () => true
  })
  return { compiled, validators }
}

describe('validators that are compiled late', () => {
  it('validate like those of Fastify: they fill in defaults and report all errors', () => {
    const validate = lazyValidators().compile(routeOf('/a'))
    const body = {}
    expect(validate(body)).toBe(true)
    expect(body).toEqual({ count: 3 })
    expect(validate.errors).toBeNull()
    expect(validate({ count: 'three', other: 1 })).toBe(false)
    expect(validate.errors?.map(({ keyword }) => keyword).sort()).toEqual(['additionalProperties', 'type'])
    expect(validate({ count: 1 })).toBe(true)
    expect(validate.errors).toBeNull()
  })

  it('are compiled once, by the first request or ahead of it', async () => {
    const { compiled, validators } = counting()
    const [first, second] = [validators.compile(routeOf('/first')), validators.compile(routeOf('/second'))]
    expect(compiled).toEqual([])
    first({})
    first({})
    expect(compiled).toEqual(['/first'])
    await validators.compileAll(() => true)
    second({})
    expect(compiled).toEqual(['/first', '/second'])
  })

  it('are no longer compiled ahead when the service stops', async () => {
    const { compiled, validators } = counting()
    for (const url of ['/a', '/b', '/c']) validators.compile(routeOf(url))
    await validators.compileAll(() => compiled.length < 1)
    expect(compiled).toEqual(['/a'])
  })
})
