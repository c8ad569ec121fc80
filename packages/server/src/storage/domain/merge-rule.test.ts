import { describe, expect, it } from 'vitest'
import { type Candidates, decideMerge, type Fit } from './merge-rule.js'

const melanie: Fit = { key: 1, name: 'Melanie', root: 1, rule: 'short_form' }
const melissa: Fit = { key: 2, name: 'Melissa', root: 2, rule: 'short_form' }
const leave = { ends: false, into: null }

function decide(candidates: Partial<Candidates>) {
  return decideMerge({ fits: [], parts: new Set(), takenBack: new Set(), ...candidates })
}

describe('the rule of merging names', () => {
  it('does not merge a name that fits nobody', () => {
    expect(decide({})).toEqual(leave)
  })

  it('merges a name into the only entity that it fits', () => {
    expect(decide({ fits: [melanie] })).toEqual({ ends: false, into: melanie })
  })

  it('merges nothing when the name fits two entities', () => {
    expect(decide({ fits: [melanie, melissa] })).toEqual(leave)
  })

  it('counts names that are shown as one entity once, and takes the first', () => {
    const jones: Fit = { key: 3, name: 'Melanie Jones', root: 1, rule: 'full_name' }
    expect(decide({ fits: [jones, melanie] })).toEqual({ ends: false, into: jones })
  })

  it('does not merge a name into its own part', () => {
    expect(decide({ fits: [melanie], parts: new Set([9, 1]) })).toEqual(leave)
    expect(decide({ fits: [melanie, melissa], parts: new Set([9, 1]) })).toEqual({ ends: false, into: melissa })
  })

  it('keeps a merge whose reason still holds', () => {
    expect(decide({ standing: { rule: 'short_form', root: 1 }, fits: [melanie] })).toEqual(leave)
  })

  it('ends a merge when a second entity fits, or no entity does', () => {
    const standing = { rule: 'short_form', root: 1 } as const
    expect(decide({ standing, fits: [melanie, melissa] })).toEqual({ ends: true, into: null })
    expect(decide({ standing })).toEqual({ ends: true, into: null })
  })

  it('moves a merge to the only entity that fits now', () => {
    expect(decide({ standing: { rule: 'stated', root: 1 }, fits: [melissa] })).toEqual({ ends: true, into: melissa })
  })

  it('never changes a manual merge', () => {
    const standing = { rule: 'manual', root: 1 } as const
    expect(decide({ standing, fits: [melissa] })).toEqual(leave)
    expect(decide({ standing, fits: [melanie, melissa] })).toEqual(leave)
    expect(decide({ standing })).toEqual(leave)
  })

  it('never repeats a merge that a user reverted', () => {
    expect(decide({ fits: [melanie], takenBack: new Set([1]) })).toEqual(leave)
    expect(decide({ standing: { rule: 'stated', root: 2 }, fits: [melanie], takenBack: new Set([1]) })).toEqual({
      ends: true,
      into: null,
    })
  })
})
