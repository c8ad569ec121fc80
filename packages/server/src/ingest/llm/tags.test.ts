import { describe, expect, it } from 'vitest'
import type { EntityMention, RelationshipFound } from '../../core/entity.js'
import type { Tagged } from '../../models/models.js'
import { evidenceOf } from './grounding.js'
import { type Claims, withClaims } from './tags.js'

const text = 'Melanie, called Mel, and I run Acme Corp in Rome since 2020 as directors.'
const speaker: EntityMention = { name: 'ana', type: 'PERSON', key: 'user:ana', aliases: [] }
const acme: EntityMention = { name: 'Acme Corp', type: 'PRODUCT', key: 'acme', aliases: [] }
const none: Tagged = { entities: [], relationships: [], slots: [] }
const claims = (more: Partial<Claims>): Claims => ({
  text,
  entities: [],
  relationships: [],
  evidence: evidenceOf([text]),
  ...more,
})
const link = (source: string, type: RelationshipFound['type'], target: string, more = {}) => ({
  source,
  type,
  target,
  ...more,
})
const named = [
  { name: 'Melanie', type: 'PERSON' as const, aliases: ['Mel', 'Melly'] },
  { name: 'Acme Corp', type: 'ORG' as const, aliases: [] },
  { name: 'Rome', type: 'LOCATION' as const },
]

describe('what a language model names', () => {
  it('is added to the findings of the local tagger, with names and aliases from the text only', () => {
    const local = { ...none, entities: [acme], slots: [{ slot: 'HOLDS|x', value: 'yes' }] }
    const tagged = withClaims(
      local,
      claims({ entities: [...named, { name: 'Elvis', type: 'PERSON' }, { name: 'Acm', type: 'ORG' }] }),
      speaker,
    )
    expect(tagged.entities).toEqual([
      { ...acme, type: 'ORG' },
      { name: 'Melanie', type: 'PERSON', key: 'melanie', aliases: ['Mel'] },
      { name: 'Rome', type: 'LOCATION', key: 'rome', aliases: [] },
    ])
    expect(tagged.slots).toEqual(local.slots)
  })

  it('may relate its entities and the speaker, with words of the text, and ends nothing', () => {
    const tagged = withClaims(
      none,
      claims({
        entities: named,
        relationships: [
          link('SPEAKER', 'WORKS_AT', 'Acme Corp', { role: 'directors', since: '2020', until: '2031' }),
          link('Acme Corp', 'LOCATED_IN', 'Rome'),
        ],
      }),
      speaker,
    )
    expect(tagged.relationships).toEqual([
      {
        sourceKey: 'user:ana',
        targetKey: 'acme',
        type: 'WORKS_AT',
        properties: { role: 'directors', since: '2020' },
        exclusive: false,
      },
      { sourceKey: 'acme', targetKey: 'rome', type: 'LOCATED_IN', properties: {}, exclusive: false },
    ])
    expect(tagged.entities).toContainEqual(speaker)
  })

  it.each([
    ['an entity that is not there', link('Elvis', 'WORKS_AT', 'Acme Corp')],
    ['a wrong end', link('Acme Corp', 'LIVES_IN', 'Rome')],
    ['itself', link('Melanie', 'KNOWS', 'Melanie')],
    ['the speaker as itself', link('me', 'FRIEND_OF', 'SPEAKER')],
  ])('is rejected with %s', (_, relationship) => {
    const tagged = withClaims(none, claims({ entities: named, relationships: [relationship] }), speaker)
    expect(tagged.relationships).toEqual([])
  })

  it('states nothing if the text is a denial', () => {
    const denied = claims({
      text: 'Melanie does not run Acme Corp in Rome.',
      entities: named,
      relationships: [link('Melanie', 'WORKS_AT', 'Acme Corp')],
    })
    expect(withClaims(none, denied, speaker).relationships).toEqual([])
  })

  it('is merged with a relationship of the local tagger, in either direction', () => {
    const known: RelationshipFound = {
      sourceKey: 'user:ana',
      targetKey: 'melanie',
      type: 'FRIEND_OF',
      properties: { since: 'May' },
      exclusive: true,
    }
    const mel: EntityMention = { name: 'Melanie', type: 'PERSON', key: 'melanie', aliases: [] }
    const local = { ...none, entities: [speaker, mel], relationships: [known] }
    const claim = link('Melanie', 'FRIEND_OF', 'I', { since: '2020', role: 'directors' })
    const tagged = withClaims(local, claims({ entities: named, relationships: [claim, claim] }), speaker)
    expect(tagged.relationships).toEqual([{ ...known, properties: { since: 'May', role: 'directors' } }])
  })
})
