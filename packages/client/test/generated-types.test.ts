import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { currentTypes, generateTypes, typesFile } from '../generate-types.js'

const answer = (schema: object) => ({
  paths: {
    '/x': {
      get: {
        operationId: 'getX',
        tags: ['Memories'],
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/X' } } } } },
      },
    },
  },
  components: { schemas: { Error: { type: 'object', properties: {} }, X: schema } },
})

describe('the generated types', () => {
  it('match the service in this checkout (to update: npm run generate -w packages/client)', async () => {
    expect(await readFile(typesFile, 'utf8')).toBe(currentTypes())
  })

  it('reflect the document: optional, nullable, enumerated, nested and open fields', () => {
    const text = generateTypes(
      answer({
        type: 'object',
        required: ['created_at', 'kind', 'metadata', 'items'],
        properties: {
          created_at: { type: 'string', nullable: true, description: 'When */ it was' },
          kind: { type: 'string', enum: ['a', 'b'] },
          metadata: { type: 'object', properties: {}, additionalProperties: {} },
          items: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
          inner: { type: 'object', required: ['is_so'], properties: { is_so: { type: 'boolean' } } },
        },
        additionalProperties: false,
      }),
    )
    expect(text).toContain("openFields: ReadonlySet<string> = new Set(['metadata'])")
    expect(text).toContain(
      [
        'export interface X {',
        '  /** When * / it was */',
        '  createdAt: string | null',
        "  kind: 'a' | 'b'",
        '  metadata: Record<string, unknown>',
        '  items: (string | number)[]',
        '  inner?: {',
        '    isSo: boolean',
        '  } | undefined',
        '}',
      ].join('\n'),
    )
  })

  it('are not generated from names that do not survive a round trip, or from a field that is both open and closed', () => {
    const name = { type: 'object', properties: { page_2: { type: 'string' }, odd_Name: { type: 'string' } } }
    expect(() => generateTypes(answer(name))).toThrow('odd_Name does not survive')
    const open = { type: 'object', properties: {}, additionalProperties: {} }
    const both = {
      type: 'object',
      properties: {
        tags: open,
        inner: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
      },
    }
    expect(() => generateTypes(answer(both))).toThrow('open in one schema and closed in another: tags')
  })
})
