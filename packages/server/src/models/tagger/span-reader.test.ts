import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSpanReader, type SpanReader } from './span-reader.js'

describe('the tagging model', { timeout: 60_000 }, () => {
  let reader: SpanReader
  beforeAll(async () => {
    reader = await openSpanReader()
  }, 60_000)
  afterAll(() => reader.close())

  const namesOf = async (text: string) => {
    const [reading] = await reader.read([text])
    return (reading?.spans ?? []).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`)
  }

  it.each<[string, string[]]>([
    [
      'Angela Merkel flew to Washington to meet officials of the World Bank.',
      ['PERSON Angela Merkel', 'LOCATION Washington', 'ORG World Bank'],
    ],
    ['SOCCER - FRANCE BEAT BRAZIL IN PARIS.', ['LOCATION FRANCE', 'LOCATION BRAZIL', 'LOCATION PARIS']],
    ['my sister anna moved to berlin', ['PERSON anna', 'LOCATION berlin']],
    ['The meeting is on Monday in May.', []],
  ])('finds names: %s', async (text, expected) => {
    expect((await namesOf(text)).filter((name) => /^(?:PERSON|ORG|LOCATION)/.test(name))).toEqual(expected)
  })

  it('reads other languages with a model of their own, in order', async () => {
    const texts = [
      'Meine Schwester Wiebke lebt in Graz, und die Küche ist neu.',
      'Zoe lives in Oslo.',
      '我哥哥住在成都。',
    ]
    const names = (await reader.read(texts)).map(({ spans }, at) =>
      spans.map(({ start, end, type }) => `${type} ${texts[at]?.slice(start, end)}`),
    )
    // A capital is no sign of a name in German.
    expect(names).toEqual([['PERSON Wiebke', 'LOCATION Graz'], ['PERSON Zoe', 'LOCATION Oslo'], ['LOCATION 成都']])
  })

  it('finds the relations between them', async () => {
    const [reading] = await reader.read(['John Miller, a spokesman for Boeing in Seattle, said sales were up.'])
    const surest = [...(reading?.relations ?? [])].sort((a, b) => b.score - a.score)
    expect(surest.map(({ name, head, tail }) => [name, head, tail])).toContainEqual(['Work_For', 0, 1])
  })

  it('answers in order for any texts', async () => {
    const texts = ['', 'Anna met Tom.', '\u0000😀 \uD800', 'x'.repeat(3_000), 'Zoe lives in Oslo.']
    const readings = await reader.read(texts)
    expect(readings).toHaveLength(texts.length)
    expect(readings[0]).toEqual({ spans: [], relations: [] })
    expect(readings[4]?.spans.map(({ start, end }) => [start, end])).toContainEqual([0, 3])
    expect(await reader.read([])).toEqual([])
  })

  it('reads a long text to its end, with positions in the whole text', async () => {
    const text = `${'nothing happened there again and again, '.repeat(100)}and then Barack Obama came.`
    expect(await namesOf(text)).toContain('PERSON Barack Obama')
  })
})
