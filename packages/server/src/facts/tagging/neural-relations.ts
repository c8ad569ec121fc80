/**
 * Decides which of the model's relations become relationships: confident ones, between fitting types, that are stated
 * as facts.
 */
import type { EntityType, RelationshipType } from '../../core/entity.js'
import type { Reading, SpanSeen } from '../../models/tagger/tag-reading.js'
import type { RelationName } from '../../models/tagger/tag-relation-head.js'

export interface RelationRead {
  readonly type: RelationshipType
  readonly source: SpanSeen
  readonly target: SpanSeen
}

interface Meaning {
  readonly type: RelationshipType
  readonly source: readonly EntityType[]
  readonly target: readonly EntityType[]
}

const person: readonly EntityType[] = ['PERSON']
const organisation: readonly EntityType[] = ['ORG']
const place: readonly EntityType[] = ['LOCATION']
const owner: readonly EntityType[] = ['PERSON', 'ORG']

/**
 * Left out: killing is not one of our types; CoNLL04's Live_In also covers people who merely flew there; CREATED was
 * learned from articles that seldom state it. These relations are measured but not used.
 */
const meanings: Readonly<Partial<Record<RelationName, Meaning>>> = {
  Work_For: { type: 'WORKS_AT', source: person, target: organisation },
  OrgBased_In: { type: 'LOCATED_IN', source: organisation, target: place },
  Located_In: { type: 'LOCATED_IN', source: place, target: place },
  WORKS_AT: { type: 'WORKS_AT', source: person, target: organisation },
  STUDIES_AT: { type: 'STUDIES_AT', source: person, target: organisation },
  LIVES_IN: { type: 'LIVES_IN', source: person, target: place },
  LOCATED_IN: { type: 'LOCATED_IN', source: [...organisation, ...place], target: place },
  BORN_IN: { type: 'BORN_IN', source: person, target: place },
  FOUNDED: { type: 'FOUNDED', source: owner, target: organisation },
  OWNS: { type: 'OWNS', source: owner, target: organisation },
  MEMBER_OF: { type: 'MEMBER_OF', source: owner, target: organisation },
  SPOUSE_OF: { type: 'SPOUSE_OF', source: person, target: person },
  PARENT_OF: { type: 'PARENT_OF', source: person, target: person },
  SIBLING_OF: { type: 'SIBLING_OF', source: person, target: person },
  MANAGES: { type: 'MANAGES', source: person, target: organisation },
}

/** A wrong fact costs more than a missing one. */
const leastScore = 0.8

export function relationsRead(reading: Reading): RelationRead[] {
  const best = new Map<string, RelationRead & { readonly score: number }>()
  for (const { head, tail, name, score } of reading.relations) {
    const meaning = meanings[name]
    const [source, target] = [reading.spans[head], reading.spans[tail]]
    if (!meaning || !source || !target || score < leastScore) continue
    if (!meaning.source.includes(source.type) || !meaning.target.includes(target.type)) continue
    // One per pair, in either direction.
    const pair = `${Math.min(head, tail)}|${Math.max(head, tail)}`
    if ((best.get(pair)?.score ?? 0) < score) best.set(pair, { type: meaning.type, source, target, score })
  }
  return [...best.values()]
}
