import { expect, it } from 'vitest'
import { markedContent } from './outdated.js'

const content = 'Marta is 34, lives in Oslo, and skis'
const part = (text: string) => {
  const start = content.indexOf(text)
  return { text, start, end: start + text.length, since: '2026-01-31T23:59:00.000Z', by: null }
}

it('marks every outdated part in its place', () => {
  expect(markedContent({ content, outdated: [part('is 34'), part('lives in Oslo')] })).toBe(
    'Marta (outdated since 2026-01-31: is 34), (outdated since 2026-01-31: lives in Oslo), and skis',
  )
})

it('leaves a content without outdated parts as it is', () => {
  expect(markedContent({ content })).toBe(content)
})
