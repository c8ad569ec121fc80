/** The tables of docs/security.md cite tests, which must exist. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../../', import.meta.url)
const page = readFileSync(new URL('docs/security.md', root), 'utf8')
const rowsOf = (heading: string) =>
  (page.split(`\n## ${heading}`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => /^\| (?:API|V)\d/.test(line))
    .map((line) => line.split(' | '))

const rows = [...rowsOf('OWASP API Security Top 10'), ...rowsOf('OWASP ASVS 5.0')]

/** Rows without a test. */
const plain = /^(?:operator|by design|not met)/

describe('the tables of docs/security.md', () => {
  it('list the ten API risks in order, and more than 40 ASVS items', () => {
    expect(rowsOf('OWASP API Security Top 10').map(([item]) => item?.match(/API\d+/)?.[0])).toEqual(
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    )
    expect(rowsOf('OWASP ASVS 5.0').length).toBeGreaterThan(40)
  })

  it.each(rows.map((row) => [row[0], row] as const))('cite existing tests for %s', (_item, row) => {
    expect(row).toHaveLength(3)
    const shown = row[2] ?? ''
    const cited = [...shown.matchAll(/`((?:test|src|packages)\/[\w./-]+\.test\.ts)`((?:,? “[^”]+”)*)/g)]
    if (cited.length === 0) expect(shown).toMatch(plain)
    for (const [, file = '', names = ''] of cited) {
      const url = new URL(file.startsWith('packages/') ? file : `packages/server/${file}`, root)
      expect(existsSync(url), file).toBe(true)
      const text = readFileSync(url, 'utf8')
      for (const [, name = ''] of names.matchAll(/“([^”]+)”/g))
        expect(text.includes(name), `${file}: ${name}`).toBe(true)
    }
  })
})

it('names every event of the audit log', () => {
  const source = readFileSync(new URL('packages/server/src/audit/audit-log.ts', root), 'utf8')
  const events = [...source.matchAll(/'([a-z]+\.[a-z_]+)'/g)].map(([, event = '']) => event)
  expect(events.length).toBeGreaterThan(25)
  expect(events.filter((event) => !page.includes(`\`${event}\``))).toEqual([])
})
