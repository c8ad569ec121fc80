import type { Contradiction } from '@keepsake/client'
import { expect, it } from 'vitest'
import { titleOf } from './title.ts'

function title(before: string, after: string, rule = 'contradicted'): string {
  // Only the contents and the rule matter here.
  const side = (content: string) => ({ content }) as Contradiction['old']
  return titleOf({ old: side(before), new: side(after), reason: { slot: 'x', oldValue: '', newValue: '', rule } })
}

it('is the words that both memories begin with', () => {
  expect(title('Tom lives in Berlin.', 'Tom lives in Hamburg.')).toBe('Tom lives in')
  expect(title('my favourite colour is blue', 'My favourite colour is green')).toBe('My favourite colour')
})

it('is the longest words in a row that both have, if they begin differently', () => {
  expect(title('Our landlord is Mr. Baptiste.', 'My landlord is Mr. Pickering.', 'judged')).toBe('Landlord')
  expect(title('Tom Ashby asked me to marry him.', 'I married Tom Ashby, at last.')).toBe('Tom Ashby')
})

it('is the kind of change if the memories begin differently or are the same', () => {
  expect(title('I moved to Leeds.', 'I live in Edinburgh.')).toBe('Changed')
  expect(title('Our landlord is Mr. Baptiste.', 'He left.', 'judged')).toBe('Changed')
  expect(title('Hello there.', 'Hello there.', 'chatter')).toBe('States nothing')
  expect(title('', '', 'refined')).toBe('The same, and more')
})
