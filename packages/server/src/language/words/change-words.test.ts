import { describe, expect, it } from 'vitest'
import { replacesSomethingElse, saysThatItChanged, speaksAgainstChange } from './change-words.js'

describe('a text says that something changed', () => {
  it.each([
    'We use pnpm now.',
    'The default branch is now main.',
    'standup got pushed to 10',
    'We moved from Travis to GitHub Actions.',
    'I got a new number, it ends in 9920',
    "scratch that, it's the 14th",
    'My dentist is Dr. Berg, not Berglund.',
    'Actually my dentist is Dr. Berglund.',
    'we broke up',
    'sold it',
    'not vegetarian anymore',
    'not vegetarian any more',
    'The limit was raised to 100.',
    'It starts at ten instead.',
    'Berlgund* ',
    'As of today I work from home.',
  ])('%s', (text) => {
    expect(saysThatItChanged(text)).toBe(true)
    expect(speaksAgainstChange(text)).toBe(false)
  })
})

describe('a text does not say that something changed', () => {
  it.each([
    'I live in Leeds.',
    'The standup is at ten.',
    'The renewal is known.',
    'She knows the snow.',
    'Moveable type',
    '',
  ])('%s', (text) => {
    expect(saysThatItChanged(text)).toBe(false)
    expect(speaksAgainstChange(text)).toBe(false)
  })
})

describe('a text speaks against a change, even with a word of change', () => {
  it.each([
    ['a second one', 'I also have a new cat.'],
    ['a second one', 'I got another phone, a new one.'],
    ['a plan', 'We might move to Leeds.'],
    ['a plan', "I'm thinking about switching to pnpm, I want to be done by now."],
    ['a condition', 'If I moved, I would sell the car.'],
    ['a rumour', 'Apparently he quit.'],
    ['a joke', 'I quit, just kidding.'],
    ['the past', 'I used to work there, before I moved.'],
    ['for a short time', 'I am working from Oslo today, new desk.'],
    ['for a short time', 'It is moved to ten, this week only.'],
    ['nothing changed', 'It is still at nine now.'],
    ['a question', 'Did you move to Leeds now? '],
  ])('%s: %s', (_, text) => {
    expect(speaksAgainstChange(text)).toBe(true)
    expect(saysThatItChanged(text)).toBe(false)
  })
})

describe('replacesSomethingElse', () => {
  it.each([
    ['replaced moment with date-fns', 'We use Redis for sessions'],
    ['migrated from Webpack to Vite', 'we moved from Slack to Teams'],
    ['dropped Sass in favour of Tailwind', 'switched from Jira to Linear'],
    ['Jest -> Vitest', 'replaced moment with date-fns'],
    ['moved the wiki from Notion to Outline', 'the standup is at 9'],
  ])('is true if it names another thing: %s / %s', (fresh, old) => {
    expect(replacesSomethingElse(fresh, old)).toBe(true)
  })

  it.each([
    ['replaced Notion with Outline', 'we use Notion for docs'],
    ['we moved from Heroku to Fly.io', 'deploys go to Heroku'],
    ['moved the standup from 9 to 10', 'the standup is at nine'],
    ['migrated from Webpack to Vite', 'replaced Grunt with Webpack'],
    ['we moved to York', 'I live in Leeds'],
    ['I quit smoking', 'I smoke ten a day'],
  ])('is false if it may mean the old one: %s / %s', (fresh, old) => {
    expect(replacesSomethingElse(fresh, old)).toBe(false)
  })
})
