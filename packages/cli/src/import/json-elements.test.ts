import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonElements } from './json-elements.js'

async function elementsOf(text: string, size = text.length || 1, most?: number) {
  const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
  const found = []
  for await (const { key, value } of jsonElements(chunks, most)) found.push([key, value])
  return found
}

describe('the elements of a JSON array', () => {
  it('match the result of JSON.parse, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 2),
        async (values, size, indent) => {
          const text = JSON.stringify(values, null, indent)
          const expected: unknown = JSON.parse(text)
          expect((await elementsOf(text, size)).map(([, value]) => value)).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('are read with their key from the arrays of an object, and everything else is skipped', async () => {
    const text = JSON.stringify({
      count: 2,
      'a "key": [': { results: [9], deep: '[1' },
      results: [{ memory: 'one, ] two' }, [[]]],
      none: [],
      next: null,
      more: ['x'],
    })
    for (const size of [1, 2, 3, 7, text.length]) {
      expect(await elementsOf(text, size)).toEqual([
        ['results', { memory: 'one, ] two' }],
        ['results', [[]]],
        ['more', 'x'],
      ])
    }
  })

  it.each([
    ['[1, {"a": 2}', 'ends in the middle'],
    ['{"a": ["x', 'ends in the middle'],
    ['', 'it is empty'],
    ['  \n', 'it is empty'],
    ['[1] [2]', 'after the end'],
    ['[tru]', 'invalid JSON'],
    ['[{"a" 1}]', 'invalid JSON'],
    ['[1 2]', 'invalid JSON'],
    ['hello', 'it is not JSON'],
    [`[${'['.repeat(200_000)}${']'.repeat(200_000)}x]`, 'invalid JSON'],
  ])('are rejected for %.20s', async (text, mention) => {
    await expect(elementsOf(text)).rejects.toThrow(mention)
  })

  it('that are complete before the file is cut off are returned', async () => {
    const found: unknown[] = []
    const reading = (async () => {
      for await (const { value } of jsonElements(['[1,2', ',3'])) found.push(value)
    })()
    await expect(reading).rejects.toThrow('ends in the middle')
    expect(found).toEqual([1, 2])
  })

  it('are held one at a time, and rejected if one is too large', async () => {
    await expect(elementsOf(`["${'x'.repeat(100)}"]`, 10, 50)).rejects.toThrow('too large')
    expect(await elementsOf(`{"skipped":"${'x'.repeat(100)}","a":[1]}`, 10, 50)).toEqual([['a', 1]])
  })
})
