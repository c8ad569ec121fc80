import { describe, expect, it } from 'vitest'
import { noteEdits } from './asked-to-note.js'
import { applied } from './edits.js'

describe('noteEdits', () => {
  it.each([
    ['can you remember that my locker is C118?', 'remember that my locker is C118'],
    ['Could you please note that the bins go out on Tuesday?', 'note that the bins go out on Tuesday'],
    ['hey, can you keep in mind that I don’t drink coffee', 'hey, keep in mind that I don’t drink coffee'],
    ['will you remember I prefer aisle seats?', 'remember I prefer aisle seats'],
    ['did you know I’m left-handed?', 'I’m left-handed'],
    ['do you know that my sister lives in Ghent?', 'my sister lives in Ghent'],
    ['did I tell you I got a dog?', 'I got a dog'],
    ['Have I told you that I play the cello?', 'I play the cello'],
  ])('states the note: %s', (text, stated) => {
    expect(applied(text, noteEdits(text))).toBe(stated)
  })

  it('ends a sentence that others follow', () => {
    const text = 'did you know I’m left-handed? '
    expect(applied(text, noteEdits(text, false))).toBe('I’m left-handed. ')
  })

  it.each([
    'remember that my locker is C118',
    'do you remember what I told you about my sister?',
    'can you remember my locker?',
    'can you remember that?',
    'can you note that down?',
    'did you know?',
    'did you know that octopuses have three hearts?',
    'do you know if my locker is C118?',
    'do you know my sister?',
    'did I tell you where I live?',
    'did I mention my allergy?',
    'can you make it shorter?',
  ])('leaves other questions: %s', (text) => {
    expect(noteEdits(text)).toEqual([])
  })

  it('reads a long text in time', () => {
    const started = performance.now()
    noteEdits('hey '.repeat(20_000))
    noteEdits(`can you ${'please '.repeat(40)}`)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
