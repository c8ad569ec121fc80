import type { Entity, Relationship } from '@keepsake/client'
import { expect, it } from 'vitest'
import { fitting, joinedOnly, neighbourhood, networkOf } from './network.js'

const seen = '2026-01-01T00:00:00.000Z'
const entity = (id: string, aliases: string[] = []): Entity => ({
  id,
  userId: 'u',
  name: id,
  type: 'PERSON',
  aliases,
  memoryCount: 1,
  firstSeen: seen,
  lastSeen: seen,
})
const joined = (sourceId: string, targetId: string): Relationship => ({
  id: `${sourceId}-${targetId}`,
  source: sourceId,
  sourceId,
  target: targetId,
  targetId,
  type: 'KNOWS',
  properties: {},
  validFrom: seen,
  validTo: null,
  memoryIds: [],
})
const network = networkOf({
  entities: [entity('Ana', ['Anna Fischer']), entity('Ben'), entity('Cem')],
  relationships: [joined('Ana', 'Ben'), joined('Cem', 'Ana')],
  totalEntities: 3,
  totalRelationships: 2,
})

it('lists a relationship for both of its ends', () => {
  expect(network.relationshipsOf.get('Ana')?.map(({ id }) => id)).toEqual(['Ana-Ben', 'Cem-Ana'])
  expect(network.relationshipsOf.get('Ben')?.map(({ id }) => id)).toEqual(['Ana-Ben'])
  expect([...neighbourhood(network, 'Ben')].sort()).toEqual(['Ana', 'Ben'])
  expect([...neighbourhood(network, 'nobody')]).toEqual(['nobody'])
})

it('finds entities by name and alias, ignoring case, and all entities with an empty search', () => {
  expect(fitting(network, 'fischer').map(({ id }) => id)).toEqual(['Ana'])
  expect(fitting(network, ' BEN ').map(({ id }) => id)).toEqual(['Ben'])
  expect(fitting(network, '')).toHaveLength(3)
  expect(fitting(network, '<')).toHaveLength(0)
})

it('draws only connected entities, or all if there are no relationships', () => {
  const withHermit = { ...network, entities: [...network.entities, entity('Dan')] }
  expect(joinedOnly(withHermit).entities.map(({ id }) => id)).toEqual(['Ana', 'Ben', 'Cem'])
  expect(joinedOnly({ ...withHermit, relationships: [] }).entities).toHaveLength(4)
})
