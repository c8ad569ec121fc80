import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { supportedLanguages } from './languages.js'

it('the supported languages are those of the benchmark page', () => {
  const page = readFileSync(new URL('../../../../docs/benchmarks/languages.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z ]+)` \| (\w+) \| (\w+) \|/gmu)]
  const listed = rows.flatMap(([, codes = '', recall, understanding]) =>
    codes.split(' ').map((code) => ({ code, recall, understanding })),
  )
  expect(supportedLanguages(true)).toEqual(listed)
})

it('recall with another embedding model is not claimed to be measured', () => {
  expect(new Set(supportedLanguages(false).map(({ recall }) => recall))).toEqual(new Set(['unmeasured']))
})
