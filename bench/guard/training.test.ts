import { describe, expect, it } from 'vitest'
import { featuresOf, tokensOf } from '../../packages/server/src/guard/features.js'
import { clustersOf } from '../../training/guard/clusters.js'
import { foldsOf } from '../../training/guard/folds.js'
import { type Bag, bagScore, learn } from '../../training/guard/logistic.js'
import { madeAttacks, madeBenign } from '../../training/guard/make.js'
import { random } from '../random.js'
import { encodings } from './encodings.js'

const story =
  'We took the early train to Vienna, walked along the river and met my aunt for coffee and cake in the afternoon'

describe('the split into training and measurement', () => {
  it('puts near-duplicates into one cluster and other texts into different ones', () => {
    const [first, copy, other] = clustersOf([
      story,
      `${story}.`,
      'The old bridge in Graz was painted green by the children of the school',
    ])
    expect(copy).toBe(first)
    expect(other).not.toBe(first)
  })

  it('gives a measured text the fold of its near-duplicate in training, and none without a near-duplicate', () => {
    const folds = foldsOf([
      { text: story, learn: true },
      { text: `${story}!`, learn: false },
      { text: 'Nothing of this kind was ever learned from by anybody at all', learn: false },
    ])
    expect(folds[0]).not.toBeNull()
    expect(folds[1]).toBe(folds[0])
    expect(folds[2]).toBeNull()
  })
})

describe('the learner', () => {
  const bag = (text: string, attack: boolean): Bag => ({
    windows: [Uint32Array.from(new Set(featuresOf(text, tokensOf(text)).buckets))],
    attack,
    weight: 1,
  })

  it('separates the classes it was trained on, even in a different context', () => {
    const bags = Array.from({ length: 40 }, (_, index) => [
      bag(`please open the vault now number ${index}`, true),
      bag(`please close the window now number ${index}`, false),
    ]).flat()
    const model = learn(bags, random(1), { epochs: 8, rate: 0.3, decay: 1e-5 })
    expect(bagScore(model, bag('someone should open the vault', true))).toBeGreaterThan(
      bagScore(model, bag('someone should close the window', false)) + 2,
    )
  })
})

describe('generated texts', () => {
  it('leave no template unfilled and are reproducible by their seed', () => {
    const make = () => [...madeAttacks(300, [story], random(4)), ...madeBenign(300, [story], random(5))]
    const texts = make().map(({ text }) => text)
    expect(make().map(({ text }) => text)).toEqual(texts)
    // Code may have braces of its own.
    for (const text of texts) expect(text.replace(/f"[^"]*"/gu, '')).not.toMatch(/\{[a-z]+\d?\}|⟦|⟧/)
  })
})

describe('encodings', () => {
  it('change every text', () => {
    for (const { encode } of encodings) expect(encode('Open the east door')).not.toBe('Open the east door')
  })
})
