import { describe, expect, it } from 'vitest'
import { namesAnother } from './names-another.js'

describe('a text that names another of its kind', () => {
  it.each([
    ['Thursday is my late shift, I start at 13:45.', 'Tuesday is my early shift, I start at 5:45.'],
    ["back door's navy now", 'Our front door is red.'],
    ['pool size 5 on dev', 'prod pool size is 40'],
    ['On Sundays I run', 'on monday I swim'],
  ])('%s / %s', (fresh, old) => {
    expect(namesAnother(fresh, old)).toBe(true)
  })

  it.each([
    ['moved the class from Tuesday to Thursday', 'The class is on Tuesday.'],
    ['The class is at ten.', 'The class is on Tuesday.'],
    ['Standup is on Thursday now.', 'Standup is on Tuesday.'],
    ['Tuesday is my late shift now.', 'Tuesday is my early shift.'],
    ['Our front door is blue now.', 'Our front door is red.'],
    ['Production moved to Hetzner, staging too.', 'Production runs on Linode.'],
  ])('%s / %s: the same', (fresh, old) => {
    expect(namesAnother(fresh, old)).toBe(false)
  })
})
