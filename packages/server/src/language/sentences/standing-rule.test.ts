import { describe, expect, it } from 'vitest'
import { standingRule } from './standing-rule.js'

describe('standingRule', () => {
  it.each([
    'write tests with vitest',
    'ask before deleting files',
    'Write commit messages in English.',
    'format with black',
    'respond with diffs only',
    'log in UTC',
    'sort imports alphabetically, please',
    'use tabs',
    'keep answers short',
    'explain before you change code',
    'run the linter before committing',
    'run tests after every change',
    'summarize long answers',
    'list sources at the end',
    'test on staging first',
    'tell me before you delete anything',
    'translate everything into German',
    'refactor only when asked',
    'show code without explanations',
    'explain your reasoning',
    'be concise',
    'never commit to main',
    'thanks, and answer in German',
  ])('is sure of a manner or a condition: %s', (text) => {
    expect(standingRule(text)).toBe('surely')
  })

  it.each(['pin dependencies', 'document public functions', 'no emojis', 'add comments', 'write tests'])(
    'is not sure of a thing in general alone: %s',
    (text) => {
      expect(standingRule(text)).toBe('maybe')
    },
  )

  it.each([
    'translate this into English',
    'write me a poem about the sea',
    'make the buttons blue',
    'fix it',
    'explain how this works',
    'make it shorter',
    'show me the diff',
    'run the tests',
    'summarize this',
    'sort this list alphabetically',
    'rewrite it in a formal tone',
    'write an email in German',
    'translate into Spanish please',
    'explain recursion in simple words',
    'help me with my homework',
    'list restaurants in Berlin',
    'read the file first',
    'use a for loop here',
    'let me know if you need anything',
    'have fun with it',
    'drive safely',
    'keep going',
    'show diffs before applying?',
    'how do I write tests with vitest',
    'I write tests with vitest',
    '',
  ])('is null for a request, small talk and a statement: %s', (text) => {
    expect(standingRule(text)).toBeNull()
  })

  it.each(['write ', 'keep as ', 'a, ', 'before ', ' please'])('reads a long text of %j in time', (part) => {
    const started = performance.now()
    for (let length = 1; length < 300; length += 7) standingRule(part.repeat(300).slice(0, length))
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
