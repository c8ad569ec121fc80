import { describe, expect, it } from 'vitest'
import { compareSources, sourcesIn, wordsOf } from './contract/twins.js'

const source = (file: string, text: string) => ({ file, words: wordsOf(text) })

describe('the measure of twin code', () => {
  it('ignores comments, imports, punctuation, and the style of an engine', () => {
    const sync =
      "import { x } from './x.js'\n/** Finds it. */\nfunction find(db: Database) {\n  return db.run('SELECT ifnull(a, 0)') // now\n}"
    const later =
      "async function find(user: UserData) {\n  return await user.send('SELECT coalesce(a::bigint, false)')\n}"
    expect(wordsOf(sync)).toEqual([
      'function',
      'find',
      'db',
      'Database',
      'return',
      'db',
      'run',
      'SELECT',
      'coalesce',
      'a',
      '0',
    ])
    expect(wordsOf(later)).toEqual(wordsOf(sync))
  })

  it('finds code that moved to another file or place', () => {
    const one = [source('all.ts', 'a b c d e f g h')]
    const other = [source('second.ts', 'e f g h'), source('first.ts', 'a b c d')]
    expect(compareSources(one, other)).toMatchObject({ words: [8, 8], shared: 8, share: 1 })
  })

  it('counts no word twice and no run of fewer than three words', () => {
    const one = [source('one.ts', 'a b c x a b c y p q')]
    const other = [source('other.ts', 'z a b c z p q z z z z z')]
    expect(compareSources(one, other)).toMatchObject({ shared: 3, share: 0.3 })
  })

  it('pairs each file with the one that it shares most with', () => {
    const one = [source('merge.ts', 'a b c d e')]
    const other = [source('join.ts', 'x a b c d e y'), source('merge.ts', 'a b z')]
    expect(compareSources(one, other).pairs).toEqual([{ first: 'merge.ts', second: 'join.ts', shared: 5, share: 1 }])
  })
})

describe('the storage engines', () => {
  it('share at most 15% of their words (npm run bench:twins shows where)', () => {
    const { share, pairs } = compareSources(sourcesIn('sqlite'), sourcesIn('postgres'))
    const worst = pairs.slice(0, 5).map(({ first, second, shared }) => `${first} and ${second}: ${shared} words`)
    expect(share, worst.join('; ')).toBeLessThanOrEqual(0.15)
  })
})
