import { afterAll, describe, expect, it, vi } from 'vitest'
import { allExpressions, type Expression, filesWithout, keyOf } from './all-expressions.js'
import { boundOf, readRecord, unrecorded, type Verdict, verdictOf } from './regular-expressions.js'
import { expressionLiterals } from './source-expressions.js'

// Expressions are recorded while modules load, so modules that earlier test files have loaded must load again.
vi.resetModules()
const expressions = await allExpressions()
afterAll(() => void vi.resetModules())
const record = readRecord()
const nameOf = ({ file, line, source, flags }: Expression) => `${file}:${line} /${source.slice(0, 100)}/${flags}`

describe('the regular expressions of the sources', () => {
  it('are all found and valid', () => {
    expect(expressions.length).toBeGreaterThan(500)
    expect(filesWithout(expressions)).toEqual([])
    for (const { source, flags } of expressions) expect(() => new RegExp(source, flags)).not.toThrow()
  })

  it('are proven linear by the tool, or only applied to short texts', { timeout: 180_000 }, async () => {
    const verdicts = new Map<string, Verdict>(record)
    const fresh = unrecorded(expressions, record)
    // Checks a few new ones here; more need the command.
    expect(fresh.slice(12).map(nameOf), 'run npm run check:expressions').toEqual([])
    for (const expression of fresh) verdicts.set(keyOf(expression), await verdictOf(expression, 10_000))
    const harmful = expressions.filter((expression) => {
      const verdict = verdicts.get(keyOf(expression))
      if (verdict === 'linear') return false
      return verdict === 'exponential' || boundOf(expression) === undefined
    })
    expect(harmful.map(nameOf)).toEqual([])
  })

  it('would be reported if exponential', { timeout: 60_000 }, async () => {
    const bad = { file: '', line: 0, source: '^(?:a+)+$', flags: '' }
    expect(await verdictOf(bad, 10_000)).toBe('exponential')
  })
})

describe('parsing expressions from a source', () => {
  it('distinguishes them from divisions, comments and strings', () => {
    const text = [
      'const a = b / c / d // no /x/',
      "const s = '/no/' + \"/no/\" + `/no/ ${x.replace(/yes1/g, '')} /no/`",
      '/* /no/ */ return /yes2[/]\\/]/u.test(y)',
      'f(/yes3/, !/yes4/.test(z), [/yes5/i], 1 / 2, (a) / 3 / 4)',
      'const g = (x) => /yes6/.exec(x)',
      'const h = `${`${/yes7/.source}`}` / 2 / 3',
    ].join('\n')
    expect(expressionLiterals(text).map(({ line, source, flags }) => `${line} ${source} ${flags}`)).toEqual([
      '2 yes1 g',
      '3 yes2[/]\\/] u',
      '4 yes3 ',
      '4 yes4 ',
      '4 yes5 i',
      '5 yes6 ',
      '6 yes7 ',
    ])
  })
})
