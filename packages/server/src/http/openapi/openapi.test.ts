import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { requestSchema } from '../body/validation.js'
import type { Endpoint } from '../endpoint.js'
import { listEndpoints } from '../endpoints.js'
import { openApiDocument } from './openapi.js'

interface Operation {
  readonly operationId: string
  readonly security: readonly object[]
  readonly responses: Readonly<Record<string, object>>
}

// The validator test below checks that the document has this shape.
const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3'))) as {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
const endpoints = listEndpoints('1.2.3')

const operationOf = (endpoint: Endpoint) => document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]

/** A space may not exist. */
const takesSpace = ({ query, body }: Endpoint) =>
  [query, body].some((schema) => Object.keys(schema?.shape ?? {}).some((field) => /^spaces?$/.test(field)))

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.0', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.0')
    expect(document.info.version).toBe('1.2.3')
  })

  it('has no default in a body, which generated clients would require, and lists null in every nullable enumeration', () => {
    const text = JSON.stringify(document.components.schemas)
    expect(text).not.toContain('"default":')
    expect(text).toContain('Maximum number of memories; by default 10')
    const enumerations = [...text.matchAll(/"nullable":true[^{}]*"enum":\[([^\]]*)\]/g)].map(([, values]) => values)
    expect(enumerations).toContain('"user","rule",null')
    expect(enumerations.filter((values) => !values?.endsWith('null'))).toEqual([])
  })

  it('gives every operation a unique operationId', () => {
    const ids = endpoints.map((endpoint) => endpoint.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const endpoint of endpoints) expect(operationOf(endpoint)?.operationId).toBe(endpoint.operationId)
  })

  it('describes every error status of every route', () => {
    for (const endpoint of endpoints) {
      const statuses = Object.keys(operationOf(endpoint)?.responses ?? {})
      expect(statuses, endpoint.operationId).toEqual(expect.arrayContaining(['500', '503']))
      expect(statuses.includes('401'), endpoint.operationId).toBe(endpoint.access !== 'open')
      expect(statuses.includes('404'), endpoint.operationId).toBe(
        /\{(?:user_)?id\}|\.(?:js|css)$/.test(endpoint.path) || takesSpace(endpoint),
      )
      // The body of a DELETE is read even where none is expected.
      if (endpoint.method !== 'GET')
        expect(statuses, endpoint.operationId).toEqual(expect.arrayContaining(['400', '413', '415']))
    }
  })

  it('defines every reference, and allows unknown fields only in open objects such as metadata', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)]
    expect(references.length).toBeGreaterThan(50)
    const components: Record<string, Record<string, object>> = JSON.parse(JSON.stringify(document.components))
    for (const [, group = '', name = ''] of references)
      expect(components[group]?.[name], `${group}/${name}`).toBeDefined()
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect('additionalProperties' in schema, name).toBe(true)
      if (name !== 'Problem') expect(schema, name).toMatchObject({ additionalProperties: false })
    }
  })

  it('has examples that match their schemas', () => {
    let checked = 0
    for (const { example, body, answer, operationId } of endpoints) {
      if (body && example?.request) {
        expect(body.safeParse(example.request).error, operationId).toBeUndefined()
        checked += 1
      }
      if (answer instanceof z.ZodType && example?.answer) {
        expect(answer.safeParse(example.answer).error, operationId).toBeUndefined()
        checked += 1
      }
    }
    expect(checked).toBeGreaterThan(15)
  })

  it('accepts no unknown field in any request', () => {
    for (const { body, query, access, operationId } of endpoints) {
      if (access !== 'open' && access !== 'probe' && access !== 'metrics') expect(query, operationId).toBeDefined()
      for (const fields of [body, query])
        if (fields) expect(requestSchema(fields).additionalProperties, operationId).toBe(false)
    }
  })
})
